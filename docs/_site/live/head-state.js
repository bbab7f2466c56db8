/* The state of the head designer: its switches by name, its address, and what the browser keeps of the puzzles. */

export const LETTERS = ["a", "b", "c"];
export const LONGEST = 5; // letters of a text
const MOST = 5; // the largest strength, and the smallest below 0
const KEPT = "clear-attention: design a head";

const places = Array.from({ length: LONGEST + 1 }, (_, place) => String(place));
/** What a query may read and what a key may read, by kind. */
const QUERIES = { always: ["always"], letter: LETTERS, place: places.slice(1) };
const KEYS = { letter: ["start", ...LETTERS], place: places };
export const ROWS = Object.values(QUERIES).flat();
export const COLUMNS = Object.values(KEYS).flat();

export function begun(puzzle) {
  return { puzzle, hands: "letter", queries: ["letter"], keys: ["letter"], switches: {}, text: "abcab" };
}

/** Return the names of the rows and columns that are read, as the table shows them. */
export function shown({ queries, keys }) {
  const of = (all, kinds) => Object.keys(all).filter((kind) => kinds.includes(kind)).flatMap((kind) => all[kind]);
  return { rows: of(QUERIES, queries), columns: of(KEYS, keys) };
}

/** Return [row, column, strength] of each switch that is on, in the table that is shown. */
export function switchesOn(state) {
  const { rows, columns } = shown(state);
  const all = rows.flatMap((row) => columns.map((column) => [row, column, state.switches[`${row}-${column}`] ?? 0]));
  return all.filter(([, , strength]) => strength !== 0);
}

export function setSwitch(state, row, column, strength) {
  const cell = `${row}-${column}`;
  if (strength === 0) delete state.switches[cell];
  else state.switches[cell] = Math.min(Math.max(strength, -MOST), MOST);
}

/** Take over a head, as in "letter/a-a:1,b-b:1"; what it reads follows from its switches. */
export function takeOver(state, head) {
  const { hands, switches } = parsed(head);
  const cells = Object.keys(switches).map((cell) => cell.split("-"));
  const read = (all, i) => Object.keys(all).filter((kind) => cells.some((cell) => all[kind].includes(cell[i])));
  Object.assign(state, { hands, switches });
  if (cells.length) Object.assign(state, { queries: read(QUERIES, 0), keys: read(KEYS, 1) });
}

function parsed(head) {
  const [hands, listed, ...more] = head.split("/");
  if (!["letter", "start"].includes(hands) || listed === undefined || more.length) throw new Error("no head");
  const switches = {};
  for (const one of listed === "" ? [] : listed.split(",")) {
    const [, row, column, strength] = /^(\w+)-(\w+):(-?[1-9])$/.exec(one) ?? [];
    const cell = `${row}-${column}`;
    const good = ROWS.includes(row) && COLUMNS.includes(column) && Math.abs(strength) <= MOST && !(cell in switches);
    if (!good) throw new Error("no switch");
    switches[cell] = Number(strength);
  }
  return { hands, switches };
}

export const isText = (text) => new RegExp(`^[${LETTERS.join("")}]{1,${LONGEST}}$`).test(text);

export function toAddress(state) {
  const listed = switchesOn(state).map(([row, column, strength]) => `${row}-${column}:${strength}`).join(",");
  return `#head=${state.puzzle}/${state.hands}/${listed}/${state.text}`;
}

/** Return the state of an address, null if it speaks of no head, undefined if it can't be read. */
export function fromAddress(hash, names) {
  if (!hash.startsWith("#head=")) return null;
  try {
    const [, puzzle, head, text] = /^([^/]*)\/(.*)\/([^/]*)$/.exec(decodeURIComponent(hash.slice("#head=".length)));
    if (!names.includes(puzzle) || !isText(text)) return undefined;
    const state = { ...begun(puzzle), text };
    takeOver(state, head);
    return state;
  } catch {
    return undefined; // somebody cut it, or wrote it by hand
  }
}

/** The fewest switches with which each puzzle was solved; a browser may refuse to keep anything. */
export const progress = {
  read(names) {
    try {
      const found = Object.entries(JSON.parse(localStorage.getItem(KEPT)) ?? {});
      return Object.fromEntries(found.filter(([name, number]) => names.includes(name) && Number.isInteger(number)));
    } catch {
      return {};
    }
  },

  write(kept) {
    try {
      localStorage.setItem(KEPT, JSON.stringify(kept));
    } catch {
      // then it lasts as long as the page
    }
  },

  erase() {
    try {
      localStorage.removeItem(KEPT);
    } catch {
      // nothing was kept
    }
  },
};

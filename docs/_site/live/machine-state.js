/* The state of the date machine: what is typed, what is taken apart, what is pointed at; its address. */

export const LONGEST = 60; // letters
export const MOST_PADDED = 100;
export const LARGEST = 1000; // weight that a reader may write: larger ones overflow
export const TRAINED_LENGTH = 34; // places, letters and padding, of each source in training

export const FRESH = {
  text: "thursday 3rd of may 2018", // what is typed
  sibling: "dates",
  off: [], // heads, as "decoder.0.cross 2"
  hidden: [], // places of the source
  places: 0, // pad the source up to so many
  seesPadding: false,
  edits: [], // { path, row, numbers }
  map: "cross", // which attention is shown
  head: -1, // -1: the mean of all
  side: "answer", // what is pointed at
  at: 3,
};

/** Say which heads of each attention are off, as the engine wants it. */
export function switchedOff({ off }) {
  const found = {};
  for (const entry of off) {
    const [name, head] = entry.split(" ");
    (found[name] ??= []).push(Number(head));
  }
  return found;
}

export const isWhole = ({ sibling, off, hidden, seesPadding, edits }) =>
  sibling === "dates" && !off.length && !hidden.length && !seesPadding && !edits.length;

/** Put a machine together again; what is typed and pointed at stays. */
export function mended(state) {
  const { text, map, side, at } = state;
  return { ...FRESH, text, map, side, at };
}

export function toAddress(state) {
  const different = Object.entries(state).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(FRESH[name]));
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(different)));
  const text = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `#machine=${text}`;
}

export function fromAddress(hash, siblings) {
  if (!hash.startsWith("#machine=")) return null;
  try {
    const text = atob(hash.slice("#machine=".length).replace(/-/g, "+").replace(/_/g, "/"));
    const given = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    return checked({ ...FRESH, ...given }, siblings);
  } catch {
    return null; // an address that somebody cut: the machine starts as ever
  }
}

/** Refuse what is no state, such as an address that was edited by hand. */
function checked(state, siblings) {
  const isPlace = (x) => Number.isInteger(x) && x >= 0 && x < MOST_PADDED;
  const isEdit = ({ path, row, numbers }) => typeof path === "string" && Number.isInteger(row) && row >= 0 &&
    Array.isArray(numbers) && numbers.every((x) => Number.isFinite(x) && Math.abs(x) <= LARGEST);
  const good = [
    Object.keys(state).every((name) => Object.hasOwn(FRESH, name)),
    typeof state.text === "string" && state.text.length <= LONGEST, siblings.includes(state.sibling),
    state.off.every((entry) => /^[\w.]+ \d$/.test(entry)), state.hidden.every(isPlace),
    Number.isInteger(state.places) && state.places >= 0 && state.places <= MOST_PADDED,
    typeof state.seesPadding === "boolean", state.edits.every(isEdit), ["cross", "self", "encoder"].includes(state.map),
    Number.isInteger(state.head) && state.head >= -1 && state.head < 8, ["answer", "source"].includes(state.side),
    isPlace(state.at),
  ];
  return good.every(Boolean) ? state : null;
}

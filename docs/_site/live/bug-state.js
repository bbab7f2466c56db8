/* The state of the bug detective: which cases a game has, what was pressed and named, its address, what is kept. */

export const CASES = 10; // of a game
const KEPT = "clear-attention: bug detective";
const MOST = 999999; // the largest number of a game

export const anyGame = () => 1 + Math.floor(Math.random() * MOST);

/** Return numbers between 0 and 1, always the same ones for the same seed (mulberry32). */
function numbers(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Begin a game: its number says which cases are drawn, and in which order. */
export function begun(game, names) {
  const [next, left] = [numbers(game), [...names]];
  const drawn = Array.from({ length: CASES }, () => left.splice(Math.floor(next() * left.length), 1)[0]);
  return { game, at: 0, cases: drawn.map((name) => ({ name, pressed: [], named: [], done: false, choice: "" })) };
}

export const toAddress = ({ game }) => `#detective=${game}`;

/** Return the game of an address, null if it speaks of none, undefined if it can't be read. */
export function fromAddress(hash) {
  if (!hash.startsWith("#detective=")) return null;
  const number = hash.slice("#detective=".length);
  return /^[1-9]\d{0,5}$/.test(number) ? Number(number) : undefined;
}

/** Return how many of the cases were named rightly with the first answer. */
export function score({ cases }, find) {
  return cases.filter(({ name, named }) => named[0] === find(name).suspect).length;
}

/** Return the names of the suspects that no pressed probe rules out. */
export function suspectsLeft(suspects, found, pressed) {
  return suspects.filter(({ name }) => !(found.ruled[name] ?? []).some((probe) => pressed.includes(probe)));
}

/** Return the probe that rules a suspect out: one that the reader has seen, if there is one. */
export function ruler(found, suspect, pressed) {
  const probes = found.ruled[suspect];
  return probes.find((probe) => pressed.includes(probe)) ?? probes[0];
}

/** The cases that were named rightly at once; a browser may refuse to keep anything. */
export const progress = {
  read(names) {
    try {
      const found = JSON.parse(localStorage.getItem(KEPT));
      return Array.isArray(found) ? names.filter((name) => found.includes(name)) : [];
    } catch {
      return [];
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

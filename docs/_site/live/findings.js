/* What describe_mask says of a square mask, for the Mask Lab: the same names and sentences, found in the same order. */

const PADDING = new Set(["", "[pad]", "<pad>", "pad", "<|pad|>", "<|endoftext|>"]);
const SENTENCES = {
  causal: "no query sees a later key; the last query stands on the last key.",
  prefix: "every query sees a prefix, and beyond it no later key.",
  window: "a query sees only keys near its own position.",
  first_keys: "a query sees only keys near its own position, and the first keys of all.",
  documents: "a query sees only its own document, of several in the row.",
  own_hidden: "no query sees its own token, as if a look-ahead mask were off by one.",
};

const isPadding = (token) => PADDING.has(token.trim().toLowerCase());
const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
const every = (mask, test) => mask.every((row, i) => row.every((cell, j) => test(cell, i, j)));
const column = (mask, j) => mask.every((row) => row[j]);
const columns = (mask) => mask[0].map((_, j) => column(mask, j));

/** Return [{name, sentence}] for a mask of 0 and 1 and its tokens. */
export function describe(mask, tokens) {
  const found = [];
  const say = (name, sentence) => found.push({ name, sentence });
  const all = every(mask, Boolean);
  const none = every(mask, (cell) => !cell);
  if (all) {
    say("blocks_everything", "no query sees any key; to Keras and Hugging Face 1 everywhere means the opposite.");
  } else if (none) {
    say("blocks_nothing", "every query sees every key.");
  }
  aboutShape(mask, tokens, say);
  const empty = mask.filter((row) => row.every(Boolean)).length;
  if (empty) {
    const who = count(empty, "query", "queries");
    say("empty_rows", `${who} with no key left: weights 0 here, NaN or a mean elsewhere.`);
  }
  if (!all) aboutPattern(mask, tokens, say);
  return found;
}

function aboutShape(mask, tokens, say) {
  const n = mask.length;
  const hidden = columns(mask);
  const saysWhy = tokens.some(isPadding) && tokens.every((token, j) => isPadding(token) === hidden[j]);
  if (saysWhy || !paddedRows(mask)) return; // what is hidden from every query is what is called padding
  if (n === 1) {
    say("ambiguous_shape", "its one row could be one query (and which key does it stand on?), or the padding of one " +
      "sentence, (batch, keys): then it should be mask[:, None, None, :].");
  } else if (!drawnOnPurpose(mask)) {
    say("ambiguous_shape", `it is read as (queries, keys) = (${n}, ${n}), but its rows look like padding of ` +
      "(batch, keys): then it should be mask[:, None, None, :], and 1 may mean a real token there.");
  }
}

/** Tell whether all rows are real tokens and then padding, or all the other way round. */
function paddedRows(mask) {
  const steps = mask.map((row) => row.slice(1).map((cell, j) => cell - row[j]));
  const flat = steps.flat();
  const oneEnd = flat.every((step) => step >= 0) || flat.every((step) => step <= 0);
  const once = steps.every((row) => row.reduce((sum, step) => sum + Math.abs(step), 0) <= 1);
  return oneEnd && once && flat.some((step) => step !== 0);
}

/** Tell whether it is a staircase: a look-ahead mask, right, off by one, or inverted. */
function stairs(mask) {
  const counts = mask.map((row) => row.reduce((a, b) => a + b, 0));
  const steps = counts.slice(1).map((c, i) => c - counts[i]).filter((step) => step !== 0);
  const blocks = mask.filter((row) => row.some(Boolean));
  const down = blocks.every((row) => row[row.length - 1]) && steps.every((step) => step === -1);
  const up = blocks.every((row) => row[0]) && steps.every((step) => step === 1);
  return steps.length > 1 && (down || up);
}

function drawnOnPurpose(mask) {
  const keys = columns(mask).map((hidden) => !hidden);
  if (stairs(mask)) return true;
  const names = structure(mask);
  names.delete("causal");
  return names.size > 0 || every(mask, (cell, i, j) => !keys[j] || Boolean(cell) === j > i);
}

function aboutPattern(mask, tokens, say) {
  const n = mask.length;
  const names = n === 1 ? new Set() : structure(mask);
  const inverted = names.size ? null : inversion(mask, tokens);
  if (inverted) {
    say("looks_inverted",
      `${inverted}: convert_mask(mask, source='keras', target='blocked') turns 0 and 1 round. ${bothReadings(mask)}`);
    return;
  }
  const limit = names.has("own_hidden") ? n - 1 : n;
  const hidden = columns(mask).slice(0, limit).filter(Boolean).length;
  if (hidden) {
    say("padding", `${count(hidden, "key", "keys")} ${hidden === 1 ? "is" : "are"} blocked for every query.`);
  }
  const pad = tokens.map((token, j) => (isPadding(token) ? j : -1)).filter((j) => j >= 0);
  const shown = pad.filter((j) => !column(mask, j)).length;
  if (shown && pad.length < n) {
    say("padding_visible", `${count(shown, "padding token", "padding tokens")} not hidden from all.`);
  }
  if (n === 1) return;
  for (const name of Object.keys(SENTENCES)) if (names.has(name)) say(name, SENTENCES[name]);
  const leaks = mask.flatMap((row, i) => row.flatMap((cell, j) => (!cell && j > i ? [`(${i}, ${j})`] : [])));
  if (leaks.length) {
    say("future_visible", `${count(leaks.length, "cell", "cells")} in which a query sees a later key, the first at ` +
      `${leaks[0]}: right in an encoder, a leak in a decoder.`);
  }
}

/** Say what a mask hides if a 1 blocks, and what if a 1 may be attended to. */
function bothReadings(mask) {
  const n = mask.length;
  const hidden = mask.flat().filter(Boolean).length;
  const names = n === 1 ? new Set() : structure(mask.map((row) => row.map((cell) => !cell)));
  const found = Object.keys(SENTENCES).filter((name) => names.has(name)).map((name) => SENTENCES[name].replace(/\.$/, "")).join("; ");
  const words = `If 1 blocks, ${hidden} of ${n * n} cells are hidden; if 1 may be attended to, ${n * n - hidden}`;
  return found ? `${words}: ${found}.` : `${words}.`;
}

/** Name the patterns that a mask follows, apart from padded keys and empty queries. */
function structure(mask) {
  const n = mask.length;
  const names = new Set();
  const keys = [...Array(n).keys()].filter((j) => !column(mask, j));
  const rows = [...Array(n).keys()].filter((i) => !mask[i].every(Boolean));
  const cells = rows.flatMap((i) => keys.map((j) => ({ blocked: Boolean(mask[i][j]), later: j > i, i, j })));
  const pastTheEnd = n > 1 && every(mask, (cell, i, j) => j <= i || cell);
  if (pastTheEnd) {
    names.add("causal");
    const own = cells.filter(({ i, j }) => i === j);
    if (rows.length > 1 && own.length && own.every(({ blocked }) => blocked)) names.add("own_hidden");
  } else if (cells.some(({ later }) => later)) {
    const first = keys.findIndex((j) => rows.some((i) => mask[i][j]));
    const beyond = new Set(keys.slice(Math.max(first, 0)));
    const drawn = cells.some(({ blocked }) => blocked);
    if (drawn && cells.every(({ blocked, later, j }) => blocked === (later && beyond.has(j)))) names.add("prefix");
  }
  const first = firstInAllSight(mask, rows, keys);
  if (isWindow(cells)) names.add("window");
  else if (first && isWindow(cells.filter(({ j }) => keys.indexOf(j) >= first))) names.add("first_keys");
  if (areDocuments(mask, rows, keys, cells)) names.add("documents");
  return names;
}

/** Count the keys, from the first on, that every query sees which they are not later than. */
function firstInAllSight(mask, rows, keys) {
  const first = keys.findIndex((j) => rows.some((i) => mask[i][j] && j <= i));
  return first < 0 ? keys.length : first;
}

/** Tell whether just the cells beyond some distance are blocked, or these and the later ones. */
function isWindow(cells) {
  const seen = cells.filter(({ blocked, later }) => !blocked && !later).map(({ i, j }) => Math.abs(i - j));
  if (!seen.length) return false;
  const reach = Math.max(...seen);
  const far = ({ i, j }) => Math.abs(i - j) > reach;
  const drawn = cells.some((cell) => far(cell) && !cell.later);
  const both = cells.every((cell) => cell.blocked === far(cell));
  const past = cells.every((cell) => cell.blocked === (far(cell) || cell.later));
  return drawn && (both || past);
}

/** Tell whether tokens see just those of their own stretch: a new one begins where a token does not see the last. */
function areDocuments(mask, rows, keys, cells) {
  if (rows.length !== keys.length || rows.some((i, k) => i !== keys[k])) return false;
  const number = new Map();
  keys.forEach((j, k) => number.set(j, k === 0 ? 0 : number.get(keys[k - 1]) + (mask[j][keys[k - 1]] ? 1 : 0)));
  const last = Math.max(0, ...number.values());
  if (last === 0 || last === keys.length - 1) return false;
  const other = ({ i, j }) => number.get(i) !== number.get(j);
  const both = cells.every((cell) => cell.blocked === other(cell));
  return both || cells.every((cell) => cell.blocked === (other(cell) || cell.later));
}

/** Say why a mask seems to mean the opposite, or nothing. */
function inversion(mask, tokens) {
  const n = mask.length;
  const pad = tokens.map(isPadding);
  const hidden = columns(mask);
  if (pad.some(Boolean) && !pad.every(Boolean) && hidden.every((h, j) => h !== pad[j])) {
    return "it blocks the real tokens and shows the padding";
  }
  if (n === 1) return null;
  if (every(mask, (cell, i, j) => j > i || cell)) return "it blocks the past and shows the future";
  const opposite = mask.map((row) => row.map((cell) => 1 - cell));
  if (!every(opposite, Boolean) && structure(opposite).size) return "turned round it is a mask that people use";
  if (mask.every((row, i) => row[i])) return "no query sees its own token";
  return null;
}

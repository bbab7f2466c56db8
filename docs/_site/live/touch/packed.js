/* Texts that share a row: who may look at whom, where positions begin anew, and how much of the row is padding. */

import { at, check, player, says, slider, sum } from "./draw.js";

const [SIDE, LEFT, TOP] = [216, 42, 50];

/** state: places (of the row), sizes (letters of each text), query (its place), apart (whether the texts are kept apart),
 * causal (whether a look-ahead mask comes on top), playing (whether the query walks by itself). */
export const packed = {
  view(state) {
    const { places, sizes, query, apart, causal, playing } = state;
    const documents = sizes.flatMap((size, i) => Array(size).fill(i + 1));
    while (documents.length < places) documents.push(0);
    const positions = documents.map((document, i) => i - (apart ? documents.indexOf(document) : 0));
    const hides = (i, j) => (apart ? documents[i] !== documents[j] : documents[j] === 0) || (causal && j > i);
    const seen = documents.map((_, j) => j).filter((j) => !hides(query, j));
    const padding = places - sum(sizes);
    const alone = sizes.length * Math.max(...sizes);
    const share = (n, all) => `${n} of ${all} places ${n === 1 ? "is" : "are"} padding (${Math.round((100 * n) / all)} %)`;
    const who = documents[query] ? `at position ${positions[query]} of text ${documents[query]}` : "padding";
    return `<div class="panels"><div class="wide">${grid(documents, positions, query, hides)}</div><div class="controls">
      ${sizes.map((size, i) => slider(`Text ${i + 1}`, `size${i}`, size, [1, 9, 1], size === 1 ? "1 letter" : `${size} letters`)).join("")}
      ${slider("Query", "query", query, [0, places - 1, 1], `place ${query}`)}${player("Let the query walk", playing)}
      ${check("keep the texts apart", "apart", apart)}${check("look-ahead mask, too", "causal", causal)}</div></div>
      ${says(`Place ${query} is ${apart ? who : `at position ${query}`} and sees ${seen.length ? `places ${seen[0]} to ${seen.at(-1)}` : "nobody"}.
        In one row ${share(padding, places)}; in ${sizes.length} rows, each as long as the longest text, ${share(alone - sum(sizes), alone)}.`)}`;
  },

  set(state, field, value) {
    if (!field.startsWith("size")) {
      state[field] = value;
      return;
    }
    const i = Number(field.slice(4));
    const others = sum(state.sizes) - state.sizes[i];
    state.sizes[i] = Math.min(value, state.places - others);
  },

  act(state, name, value) {
    state.query = value;
  },

  /** Let the next place look, or after the last one the first; say whether there are more. */
  play(state) {
    state.query = (state.query + 1) % state.places;
    return state.query < state.places - 1;
  },
};

function grid(documents, positions, query, hides) {
  const unit = SIDE / documents.length;
  const rows = documents.map((document, i) => {
    const tint = document ? "var(--ca-visible)" : "var(--ca-line)";
    const cells = documents.map((_, j) => `<rect class="cell" x="${at(LEFT + unit * j)}" y="${at(TOP + unit * i)}" width="${at(unit)}" height="${at(unit)}"
      ${hides(i, j) ? 'fill="url(#hatch)"' : `style="fill:${tint};fill-opacity:${i === query ? 1 : 0.45}"`}/>`);
    return `<g data-do="query" data-value="${i}">${cells.join("")}</g>`;
  });
  const above = (y, list) => list.map((n, j) => `<text class="small middle" x="${at(LEFT + unit * (j + 0.5))}" y="${y}">${n}</text>`).join("");
  return `<svg viewBox="0 0 ${LEFT + SIDE + 4} ${TOP + SIDE + 4}" role="img" aria-label="A square of cells: a row for each place that looks, a column for each
    place that is looked at. Cells that are blocked are hatched."><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"
    patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--ca-hatch)"/></pattern></defs>
    <text class="small soft end" x="${LEFT - 4}" y="12">text</text>${above(12, documents)}
    <text class="small soft end" x="${LEFT - 4}" y="28">position</text>${above(28, positions)}
    <text class="small soft end" x="${LEFT - 4}" y="44">place</text>${above(44, documents.map((_, i) => i))}
    ${rows.join("")}<rect class="axis" x="${LEFT}" y="${at(TOP + unit * query)}" width="${SIDE}" height="${at(unit)}" style="stroke-width:2"/>
    <text class="small end" x="${LEFT - 4}" y="${at(TOP + unit * (query + 0.7))}">${query}</text></svg>`;
}

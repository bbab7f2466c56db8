/* Keys that pull at their mixture: which of them a nudge makes heavier, and which lighter. */

import { softmax } from "../engine/attention.js";
import { at, between, dot, number, player, says, slider } from "./draw.js";

const [LEFT, LONG, TOP, LANE, RADIUS] = [58, 252, 58, 50, 25]; // of the drawing; RADIUS: of a disc with all the weight
const x = (value) => at(LEFT + LONG * value);
const THERE = 0.005; // so near to the flag, nothing is left to be done

/** state: names, scores and values (of each key), flag (where the mixture should be), rate, nudges (how many so far), before (the scores
    before the last one; null after another change) and playing. The loss is the square of the distance from the flag. */
export const pull = {
  view(state) {
    const { names, values, flag, playing, before } = state;
    const { weights, mixture, pulls } = mixed(state);
    const bottom = TOP + LANE * names.length - 18;
    const walks = before ? "walks" : ""; // what is dragged must not lag behind
    const lanes = names.map((name, i) => {
      const y = TOP + LANE * i;
      const helps = gains(state, pulls[i], mixture);
      const size = Math.sqrt(weights[i]);
      const old = before ? Math.sqrt(softmax(before)[i]) : size;
      const disc = (r, more) => `<circle class="${walks}" r="${RADIUS}" style="transform:scale(${r.toFixed(4)});${more}" vector-effect="non-scaling-stroke"/>`;
      return `<g class="${helps > 0 ? "v" : helps < 0 ? "k" : "n"}" data-pull="${pulls[i].toFixed(4)}" data-weight="${weights[i].toFixed(4)}">
        <path class="line" d="M${LEFT} ${y}H${LEFT + LONG}"/>
        <text style="font-weight:600;font-size:13px" x="4" y="${y + 4}">${name}</text><text class="middle" x="34" y="${y + 4}">${number(weights[i])}</text>
        <g class="${walks}" style="transform:translate(${x(values[i])}px,${y}px)" data-handle="${i}">
          ${disc(size, "fill:var(--tint);fill-opacity:.3;stroke:var(--tint);stroke-width:1.5")}
          ${disc(old, `fill:none;stroke:var(--tint);stroke-width:1;stroke-dasharray:3 3;opacity:${before ? 0.8 : 0}`)}
          <circle r="15" style="fill:transparent"/><circle class="fill" r="2"/></g>
        ${pulled(x(mixture), y, LONG * pulls[i], walks)}
        <text class="text end" x="374" y="${y + 4}">${number(pulls[i])}</text></g>`;
    });
    return `<svg viewBox="0 0 380 ${bottom + 44}" style="max-width:38em" role="img" aria-label="A line of values from 0 to 1 for each of ${names.length} keys, on which a disc stands at the key's value, as large as its weight.
        A pointer at the mixture crosses all lines, and from it an arrow goes towards each disc, as far as the key pulls. A flag stands at ${number(flag)}.">
      <text class="small soft middle" x="34" y="12">weight</text><text class="small soft end" x="374" y="12">effect</text>
      <g style="transform:translate(${x(flag)}px,0px)" data-handle="flag"><path class="axis dashed" d="M0 26V${bottom}"/><path class="axis" style="stroke-width:2" d="M0 6V28"/>
        <path class="w fill" d="M${flag > 0.5 ? "0 6l-22 7l22 7z" : "0 6l22 7l-22 7z"}"/><rect x="-24" y="2" width="48" height="28" style="fill:transparent"/></g>
      ${lanes.join("")}
      <path class="axis" d="M${LEFT} ${bottom}H${LEFT + LONG}"/>${[0, 0.5, 1].map((v) => `<path class="axis" d="M${x(v)} ${bottom}v4"/><text class="small soft middle" x="${x(v)}" y="${bottom + 38}">${v}</text>`).join("")}
      <g class="${walks}" style="transform:translate(${x(mixture)}px,0px)"><path class="axis" style="stroke:currentColor;stroke-width:2" d="M0 34V${bottom}"/>
        <path style="fill:currentColor" d="M0 ${bottom}l-6 10h12z"/><text class="middle" style="font-weight:600" x="0" y="${bottom + 23}">mixture ${number(mixture)}</text></g></svg>
      <div class="controls"><button data-do="nudge">Nudge the scores</button>${player("Keep nudging", playing)}<button data-do="again">Start again</button></div>
      <div class="controls">${names.map((name, i) => slider(`Value of ${name}`, i, values[i], [0, 1, 0.05], number(values[i]))).join("")}${slider("Flag", "flag", flag, [0, 1, 0.05], number(flag))}</div>
      ${says(told(state))}`;
  },

  set(state, field, value) {
    state.before = null;
    if (field === "flag") state.flag = value;
    else state.values[field] = value;
  },

  drag(state, handle, at_) {
    pull.set(state, handle, between(Math.round((20 * (at_ - LEFT)) / LONG) / 20, 0, 1));
  },

  act(state) {
    const { mixture, pulls } = mixed(state);
    state.before = [...state.scores];
    state.scores = state.scores.map((score, i) => score + state.rate * 2 * (state.flag - mixture) * pulls[i]);
    state.nudges += 1;
  },

  play(state) {
    pull.act(state);
    return Math.abs(state.flag - mixed(state).mixture) > THERE && state.nudges % 60 > 0;
  },

  seen: ({ nudges, values }, start) => nudges > 2 || (nudges > 0 && values.join() !== start.values.join()),
};

/** Return the weights, their mixture, and how far the mixture moves for each score that rises. */
function mixed({ scores, values }) {
  const weights = softmax(scores);
  const mixture = dot(weights, values);
  return { weights, mixture, pulls: weights.map((weight, i) => weight * (values[i] - mixture)) };
}

/** 1 for a key that the next nudge makes heavier, as far as its score goes, -1 for one that it makes lighter. */
function gains({ flag }, pulls, mixture) {
  return Math.abs(flag - mixture) < THERE || Math.abs(pulls) < 5e-4 ? 0 : Math.sign(pulls * (flag - mixture));
}

/** An arrow of transformations only, so that it can walk. */
function pulled(from, y, long, walks) {
  const head = Math.min(9, Math.abs(long));
  const way = Math.sign(long) || 1;
  return `<g class="${walks}" style="transform:translate(${from}px,${y}px)"><rect class="fill ${walks}" x="0" y="-1.75" width="1" height="3.5" style="transform:scaleX(${at(long - way * 0.7 * head)})"/>
    <g class="${walks}" style="transform:translate(${at(long)}px,0px) scale(${at((way * head) / 9)},${at(head / 9)})"><path class="fill" d="M0 0L-9 -5V5Z"/></g></g>`;
}

const listed = (names) => names.join(", ").replace(/, (?=\w+$)/, " and ");

function told(state) {
  const { names, scores, before, flag, nudges } = state;
  const { weights, mixture, pulls } = mixed(state);
  if (Math.abs(flag - mixture) <= THERE) return `The mixture is at the flag. There the loss has no slope, so the scores stay as they are.`;
  const ways = pulls.map((one) => gains(state, one, mixture));
  const [towards, away] = [1, -1].map((way) => names.filter((_, i) => ways[i] === way));
  const next = towards.length ? `${listed(towards)} ${towards.length > 1 ? "pull" : "pulls"} towards the flag, ${listed(away)} away from it.` : "Nothing pulls.";
  if (!before) return `The mixture is ${number(mixture)}, and should be ${number(flag)}. ${next}`;
  const old = softmax(before);
  const heavy = old.indexOf(Math.max(...old));
  const [from, to] = [number(old[heavy], 3), number(weights[heavy], 3)];
  const verb = from === to ? "keeps" : scores[heavy] > before[heavy] && weights[heavy] > old[heavy] ? "gains" : "loses";
  return `Nudge ${nudges}: ${names[heavy]}, the heaviest, ${verb} weight${from === to ? "" : `, from ${from} to ${to}`}. Now ${next}`;
}

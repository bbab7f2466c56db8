/* A game: the answer is hidden, and the reader sees only where the four heads look. Which letter are they writing? */

import { escape } from "../html.js";
import { at, decoded, says } from "./draw.js";

const HEADS = ["queries", "keys", "values", "fourth"];
const FORM = ["y", "y", "y", "y", "-", "m", "m", "-", "d", "d"];
const PLACES = ["first digit of the year", "second digit of the year", "third digit of the year", "last digit of the year", "first dash",
  "first digit of the month", "last digit of the month", "second dash", "first digit of the day", "last digit of the day"];
const ROUNDS = 10; // of a game
const NOTE = { y: "year", m: "month", d: "day" };

/** state: rounds (text, answer, place: which letter is written, weights: head → coded row, own: where this letter stands in the text,
 * or -1, why: what gives it away), game (which ten of the rounds), guesses (of this game), open (whether the next round is asked). */
export const eyes = {
  view({ rounds, game, guesses, open }) {
    const ten = rounds.slice(ROUNDS * game, ROUNDS * (game + 1));
    const now = open ? guesses.length : guesses.length - 1;
    const { text, answer, place, weights, own, why } = ten[now];
    const shares = weights.map(decoded);
    const towers = [...text].map((sign, i) => {
      const bars = shares.map((row, h) => `<i style="--high:${at(100 * row[i])}%;--tint:var(--ca-${HEADS[h]})"></i>`);
      const kind = !open && i === own ? "own" : shares.some((row) => row[i] > 0.1) ? "" : "faint";
      return `<span class="tower"><span>${bars.join("")}</span><b class="${kind}">${sign === " " ? "␣" : escape(sign)}</b></span>`;
    });
    const guess = guesses[now];
    const boxes = FORM.map((sign, i) => {
      const found = open ? "" : i === place ? "is-right" : i === guess ? "is-wrong" : "";
      const caption = sign === "-" ? "" : FORM.indexOf(sign) === i ? NOTE[sign] : "";
      return `<span><button data-do="guess" data-value="${i}" class="${found}" aria-label="${PLACES[i]}" ${open ? "" : "disabled"}>${open ? sign : answer[i]}</button><small>${caption}</small></span>`;
    });
    const right = guesses.filter((one, i) => one === ten[i].place).length;
    const dots = ten.map((round, i) => `<i class="${i >= guesses.length ? (i === now ? "asked" : "") : guesses[i] === round.place ? "hit" : "missed"}"></i>`);
    const over = !open && guesses.length === ROUNDS;
    const legend = HEADS.map((tint, h) => `<span style="--tint:var(--ca-${tint})"><i></i>head ${h + 1}</span>`);
    const next = `<button data-do="${over ? "more" : "next"}" ${open ? "disabled" : ""}>${over ? "Ten other dates" : "Next date"}</button>`;
    return `<div class="eyes"><div class="controls"><span class="dots" role="img" aria-label="Date ${now + 1} of ${ROUNDS}, ${right} read so far.">${dots.join("")}</span>
      <span class="hint">${guesses.length ? `${right} of ${guesses.length} read` : ""}</span></div>
      <div class="towers" style="--letters:${text.length}" role="img" aria-label="${escape(text)}. ${seen(shares, text)}">${towers.join("")}</div>
      <div class="legend">${legend.join("")}</div>
      <div class="controls"><b>Which letter are they writing?</b></div>
      <div class="answer" role="group" aria-label="The answer, hidden">${boxes.join("")}<span class="next">${next}</span></div>
      ${says(open ? "Press a place of the answer." : `${guess === place ? "Right" : "No"}: it is the ${PLACES[place]}. ${why} ${over ? ended(right) : ""}`)}</div>`;
  },

  act(state, name, value) {
    if (name === "guess") {
      state.guesses.push(value);
      state.open = false;
    } else {
      if (name === "more") Object.assign(state, { game: (state.game + 1) % Math.floor(state.rounds.length / ROUNDS), guesses: [] });
      state.open = true;
    }
  },
};

/** Say at which letter each head looks most, for who hears the picture. */
const seen = (shares, text) =>
  shares.map((row, h) => {
    const most = row.indexOf(Math.max(...row));
    return `Head ${h + 1} looks most at ${text[most] === " " ? "a space" : escape(text[most])}, letter ${most + 1} of the text.`;
  }).join(" ");

const ended = (right) => `You have read ${right} of ${ROUNDS}. Who guesses blindly reads about 1.`;

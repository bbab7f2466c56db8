/* dates.py: letters and their numbers, and which date a text means. The words and forms come from the package. */

import { END, START } from "./transformer.js";

export class CharacterTokenizer {
  constructor(characters) {
    this.characters = [...characters];
  }

  /** Number the letters of a text; a letter that is not known has no number. */
  encode(text) {
    return [...text].map((letter) => this.characters.indexOf(letter) + 3).map((id) => (id < 3 ? null : id));
  }

  decode(ids) {
    return ids.filter((id) => id >= 3).map((id) => this.characters[id - 3]).join("");
  }

  letter(id) {
    return id === END ? "end" : id === START ? "start" : this.characters[id - 3] ?? "";
  }
}

const two = (number) => String(number).padStart(2, "0");
const FIRST = 1950; // a century, so that '18 is 2018 and nothing else

/** Write a date in every form of the task. names: what the package calls months and days. */
function formsOf(year, month, day, { forms, months, monate, days, tage }) {
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  const th = day >= 11 && day <= 13 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[day % 10] ?? "th";
  const words = {
    day, th, year, month_number: month, short_year: `'${two(year % 100)}`,
    "day:02": two(day), "month_number:02": two(month),
    weekday: days[weekday], wkd: days[weekday].slice(0, 3), tag: tage[weekday], tg: tage[weekday].slice(0, 2),
    month: months[month - 1], mon: months[month - 1].slice(0, 3), monat: monate[month - 1],
  };
  return forms.map((form) => form.replace(/\{([\w:]+)\}/g, (_, name) => words[name]));
}

/** Return the date that a text means, as ISO 8601 writes it, or null: it is in no form of the task, or no date. */
export function meaningOf(text, names) {
  const years = [...text.matchAll(/\d{4}/g)].map(([digits]) => Number(digits));
  const short = text.match(/'(\d\d)$/);
  if (short) years.push(FIRST + ((Number(short[1]) - (FIRST % 100) + 100) % 100));
  for (const year of years) {
    for (let date = new Date(Date.UTC(year, 0, 1)); date.getUTCFullYear() === year; date.setUTCDate(date.getUTCDate() + 1)) {
      const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
      if (formsOf(year, month, day, names).includes(text)) return `${year}-${two(month)}-${two(day)}`;
    }
  }
  return null;
}

/** Return the date that anybody would read, also where the task has no such form, or null: with slashes the month comes first. A
 * weekday is not looked at, since it may be wrong. */
export function plainMeaningOf(text, { months, monate, days, tage }) {
  const year = "(?<year>\\d{4}|'\\d\\d)$";
  const day = "(?<day>\\d{1,2})(?:st|nd|rd|th|\\.)?";
  const weekdays = [...days, ...days.map((name) => name.slice(0, 3)), ...tage, ...tage.map((name) => name.slice(0, 2))];
  const rest = text.replace(new RegExp(`^(?:${weekdays.join("|")}),? +(?:den +)?`), "");
  const found = [
    `^(?<month>\\d{1,2})/(?<day>\\d{1,2})/${year}`, `^(?<day>\\d{1,2})\\. ?(?<month>\\d{1,2})\\. ?${year}`,
    `^${day} +(?:of +)?(?<name>[a-zä]{3,}),? +${year}`, `^(?<name>[a-zä]{3,}) +${day},? +${year}`,
  ].map((form) => rest.match(new RegExp(form))?.groups).find(Boolean);
  if (!found) return null;
  const monthOf = (names) => names.findIndex((name) => name === found.name || name.slice(0, 3) === found.name) + 1;
  const month = found.name ? monthOf(months) || monthOf(monate) : Number(found.month);
  const short = found.year.startsWith("'");
  const iso = `${short ? FIRST + ((Number(found.year.slice(1)) - (FIRST % 100) + 100) % 100) : found.year}-${two(month)}-${two(Number(found.day))}`;
  return wrongWith(iso) ? null : iso;
}

/** Say what is wrong with an ISO date, in words, or "" if it is a day that there is. */
export function wrongWith(iso) {
  const found = iso.match(/^(\d{4})-(\d\d)-(\d\d)$/);
  if (!found) return "The answer is not in the form of a date";
  const [year, month, day] = found.slice(1).map(Number);
  if (month < 1 || month > 12) return `There is no month ${month}`;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day < 1 || day > last ? `That month has no day ${day}` : "";
}

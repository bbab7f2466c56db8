// Turns the site's pages, which stand one after the other in the print page, into the chapters of a book. `homes` says
// which address became which chapter, `site` where the others are published, if they are.
function toBook(homes, site) {
  const chapters = [...document.querySelectorAll(".chapter")];
  document.querySelectorAll(".lesson-where, .lesson-download, .headerlink, .page-facts, .lesson-live, .lesson-code, script").forEach(
    (element) => element.remove(),
  );
  chapters.forEach((chapter) => {
    const certificates = [...chapter.querySelectorAll(".certificate")].slice(1); // one shows its examples, of half a page
    certificates.forEach((table) => table.querySelectorAll("details").forEach((example) => example.remove()));
    mendLinks(chapter, homes, site);
    moveAnswers(chapter);
  });
  document.querySelectorAll("details").forEach((details) => details.replaceWith(opened(details)));
  document.querySelectorAll("svg").forEach(drawHatches);
  document.querySelectorAll("pre").forEach((pre) => pre.classList.toggle("short", pre.textContent.split("\n").length < 16));
}

// The contents learn on which page each chapter begins.
function nameNumbers(numbers) {
  document.querySelectorAll(".contents a").forEach((link) => {
    link.querySelector(".page").textContent = numbers[link.hash.slice(1)];
  });
}

// An address inside the book becomes a place in it; one outside keeps its link if readers can follow it.
function mendLinks(chapter, homes, site) {
  chapter.querySelectorAll("a[href]").forEach((link) => {
    link.removeAttribute("title");
    if (link.getAttribute("href").startsWith("#")) return;
    const url = new URL(link.getAttribute("href"), new URL(chapter.dataset.path, location.origin));
    const home = url.origin === location.origin && homes[url.pathname];
    if (home) link.href = url.hash ? `#${home}--${url.hash.slice(1)}` : `#${home}`;
    else if (url.origin !== location.origin) link.href = url;
    else if (site) link.href = new URL(url.pathname.slice(1) + url.hash, site);
    else link.replaceWith(...link.childNodes);
    if (home && !document.getElementById(decodeURIComponent(link.hash.slice(1)))) link.hash = home;
  });
}

// Answers wait at the end of their lesson, where nobody reads them by accident.
function moveAnswers(chapter) {
  const answers = chapter.querySelectorAll(".lesson-answer");
  const questions = chapter.querySelectorAll(".sc-question");
  if (answers.length + questions.length === 0) return;
  const end = build("section", { className: "answers" });
  end.append(build("h2", { textContent: "Answers" }));
  let last = "";
  for (const answer of answers) {
    const exercise = exerciseOf(answer);
    const id = `${chapter.id}--answer-${exercise.toLowerCase().replace(/\W+/g, "-")}`;
    if (exercise === last) answer.remove(); // an exercise may have code, and what it shows in words
    else {
      end.append(build("h3", { id, textContent: exercise }));
      answer.replaceWith(wrap("p", build("a", { href: `#${id}`, textContent: "The answer is at the end of this lesson." })));
    }
    last = exercise;
    answer.querySelector("summary").remove();
    end.append(...answer.childNodes);
  }
  if (questions.length) end.append(build("h3", { textContent: "Check yourself" }));
  questions.forEach((question, i) => end.append(...answersOf(question, i + 1)));
  chapter.append(end);
}

// What an answer belongs to: an exercise, the section in which it stands, or what a lesson opens with.
function exerciseOf(answer) {
  let before = answer;
  while (!/^h[123]$/.test(before.localName)) before = before.previousElementSibling;
  const number = before.textContent.match(/^\D*(\d+)/);
  return before.localName === "h3" && number ? `Exercise ${number[1]}` : before.textContent.replace("¶", "").trim();
}

// Leaves the choices as a list with letters, and returns what is said about each.
function answersOf(question, number) {
  question.querySelector("p").prepend(`${number}. `);
  const choices = [...question.querySelectorAll("li")];
  const reasons = choices.map((choice) => {
    const reason = build("li", { className: choice.className });
    reason.append(...choice.querySelector("details > p").childNodes);
    choice.replaceChildren(...choice.querySelector("summary").childNodes);
    return reason;
  });
  question.querySelector("ul").outerHTML = `<ol type="a">${question.querySelector("ul").innerHTML}</ol>`;
  const list = build("ol", { type: "a" });
  list.append(...reasons);
  return [wrap("p", build("strong", { textContent: `Question ${number}` })), list];
}

function opened(details) {
  const whole = build("div", { className: `opened ${details.className}` });
  const summary = details.querySelector("summary");
  whole.append(wrap("p", wrap("strong", ...summary.childNodes)), ...[...details.childNodes].filter((n) => n !== summary));
  return whole;
}

// Paper does not scroll: what is wider than it would be cut.
function tooWide() {
  const edge = document.documentElement.clientWidth + 1;
  const wide = [...document.querySelectorAll(".chapter :is(p, pre, table, figure, svg, math)")].find(
    (element) => element.getBoundingClientRect().right > edge,
  );
  return wide && `${wide.localName} in ${wide.closest(".chapter").dataset.path}`;
}

// A pattern is printed as a picture of half a megabyte for each cell; as lines, cut to the cell, it is sharp and small.
function drawHatches(svg) {
  svg.querySelectorAll("[style*='fill: url(#']").forEach((cell) => {
    const pattern = document.getElementById(cell.style.fill.match(/#([^")]+)/)[1]);
    const [width, height] = [pattern.width.baseVal.value, pattern.height.baseVal.value];
    const { x, y, width: right, height: down } = cell.getBBox();
    const shape = cell.cloneNode();
    shape.removeAttribute("style");
    const clip = document.createElementNS(svg.namespaceURI, "clipPath");
    const lines = document.createElementNS(svg.namespaceURI, "g");
    clip.id = `hatch-${document.querySelectorAll("clipPath").length}`;
    clip.append(shape);
    lines.setAttribute("clip-path", `url(#${clip.id})`);
    for (let top = Math.floor(y / height) * height; top < y + down; top += height) {
      for (let left = Math.floor(x / width) * width; left < x + right; left += width) {
        const tile = document.createElementNS(svg.namespaceURI, "g");
        tile.setAttribute("transform", `translate(${left} ${top})`);
        tile.append(...[...pattern.children].map((child) => child.cloneNode(true)));
        [...tile.children].forEach((child) => (child.style.strokeWidth = 0.5));
        lines.append(tile);
      }
    }
    cell.before(clip, lines);
    cell.style.fill = "none";
  });
}

function build(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

function wrap(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}

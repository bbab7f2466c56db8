/* Heat maps of attention, drawn on a canvas each; the same numbers stand in a table. */

import { colours } from "./colour.js";

const CELL = 9;
const EDGE = 13; // for the letters beside and above

/** Draw one map: rows are queries. chosen: { row, column } or null; hidden cells have NaN. */
export function draw(canvas, map, rows, columns, chosen) {
  const [width, height] = [EDGE + columns.length * CELL, EDGE + rows.length * CELL];
  const sharp = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * sharp)) canvas.width = Math.round(width * sharp);
  if (canvas.height !== Math.round(height * sharp)) canvas.height = Math.round(height * sharp);
  canvas.style.width = `${width}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  pen.font = `9px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const letter = (text, x, y) => pen.fillText(text.length > 1 ? "•" : text, x, y);
  pen.fillStyle = style.color;
  columns.forEach((text, j) => letter(text, EDGE + (j + 0.5) * CELL, EDGE / 2));
  rows.forEach((text, i) => letter(text, EDGE / 2, EDGE + (i + 0.5) * CELL));
  map.forEach((row, i) => row.forEach((x, j) => cell(pen, x, EDGE + j * CELL, EDGE + i * CELL, style)));
  if (!chosen) return;
  pen.strokeStyle = style.color;
  pen.lineWidth = 1.5;
  if (chosen.row !== undefined) pen.strokeRect(EDGE, EDGE + chosen.row * CELL, columns.length * CELL, CELL);
  if (chosen.column !== undefined) pen.strokeRect(EDGE + chosen.column * CELL, EDGE, CELL, rows.length * CELL);
}

function cell(pen, x, left, top, { color }) {
  if (!Number.isNaN(x)) {
    pen.fillStyle = colours(x).weight;
    pen.fillRect(left, top, CELL - 0.5, CELL - 0.5);
    return;
  }
  pen.save();
  pen.globalAlpha = 0.35;
  pen.strokeStyle = color;
  pen.lineWidth = 0.7;
  pen.beginPath();
  pen.moveTo(left + 1, top + CELL - 1.5);
  pen.lineTo(left + CELL - 1.5, top + 1);
  pen.stroke();
  pen.restore();
}

/** Which cell of a map lies under a point of its canvas. */
export function placeAt(canvas, event) {
  const box = canvas.getBoundingClientRect();
  const zoom = box.width / parseFloat(canvas.style.width);
  return {
    row: Math.floor(((event.clientY - box.top) / zoom - EDGE) / CELL),
    column: Math.floor(((event.clientX - box.left) / zoom - EDGE) / CELL),
  };
}

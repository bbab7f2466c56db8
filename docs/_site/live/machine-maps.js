/* Heat maps of attention, drawn on a canvas each; the same numbers stand in a table. */

import { colours } from "./colour.js";

/** The width of a cell of a canvas, and of the edge for the letters beside and above. */
function sizes({ dataset }) {
  const cell = Number(dataset.cell ?? 9);
  return [cell, Math.round(1.4 * cell)];
}

/** Draw one map: rows are queries. chosen: { row, column } or null; hidden cells have NaN. */
export function draw(canvas, map, rows, columns, chosen) {
  const [size, edge] = sizes(canvas);
  const [width, height] = [edge + columns.length * size, edge + rows.length * size];
  const sharp = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * sharp)) canvas.width = Math.round(width * sharp);
  if (canvas.height !== Math.round(height * sharp)) canvas.height = Math.round(height * sharp);
  canvas.style.width = `${width}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  pen.font = `${Math.min(size, 13)}px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const letter = (text, x, y) => pen.fillText(text.length > 1 ? "•" : text, x, y);
  pen.fillStyle = style.color;
  columns.forEach((text, j) => letter(text, edge + (j + 0.5) * size, edge / 2));
  rows.forEach((text, i) => letter(text, edge / 2, edge + (i + 0.5) * size));
  map.forEach((row, i) => row.forEach((x, j) => cell(pen, x, edge + j * size, edge + i * size, size, style)));
  if (!chosen) return;
  pen.strokeStyle = style.color;
  pen.lineWidth = 1.5;
  if (chosen.row !== undefined) pen.strokeRect(edge, edge + chosen.row * size, columns.length * size, size);
  if (chosen.column !== undefined) pen.strokeRect(edge + chosen.column * size, edge, size, rows.length * size);
}

function cell(pen, x, left, top, size, { color }) {
  if (!Number.isNaN(x)) {
    pen.fillStyle = colours(x).weight;
    pen.fillRect(left, top, size - 0.5, size - 0.5);
    return;
  }
  pen.save();
  pen.globalAlpha = 0.35;
  pen.strokeStyle = color;
  pen.lineWidth = 0.7;
  pen.beginPath();
  pen.moveTo(left + 1, top + size - 1.5);
  pen.lineTo(left + size - 1.5, top + 1);
  pen.stroke();
  pen.restore();
}

/** Which cell of a map lies under a point of its canvas. */
export function placeAt(canvas, event) {
  const box = canvas.getBoundingClientRect();
  const zoom = box.width / parseFloat(canvas.style.width);
  const [size, edge] = sizes(canvas);
  return {
    row: Math.floor(((event.clientY - box.top) / zoom - edge) / size),
    column: Math.floor(((event.clientX - box.left) / zoom - edge) / size),
  };
}

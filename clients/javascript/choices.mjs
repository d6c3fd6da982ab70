// Read the choices of offers: lists of values, cells by rows, and straight paths.

const upTo = (least, most) => Array.from({ length: most - least + 1 }, (_, at) => least + at);

/**
 * Return the values of a choice. A cell is `[x, y]`, a path is the list of the cells that are entered.
 * @param {any[] | {cells: number[][]} | {start: number[], paths: number[][]}} choice
 * @returns {any[]}
 */
export function valuesOf(choice) {
  if (Array.isArray(choice)) return choice;
  if (Object.hasOwn(choice, "cells")) return choice.cells.flatMap(([y, first, last]) => upTo(first, last).map((x) => [x, y]));
  const [x, y] = choice.start;
  return choice.paths.flatMap(([dx, dy, least, most]) =>
    upTo(least, most).map((length) => upTo(1, length).map((i) => [x + dx * i, y + dy * i])));
}

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

/**
 * Return an answer of `GET …/options` in which each choice has its own list of values.
 * @param {any} options
 * @returns {any}
 */
export function withLists(options) {
  const listed = (choice) => "list" in choice && !Array.isArray(choice)
    ? without(options.lists[choice.list], (choice.but ?? []).map((value) => JSON.stringify(value)))
    : choice;
  const offered = (offer) => ({
    ...offer,
    choices: Object.fromEntries(Object.entries(offer.choices).map(([name, choice]) => [name, listed(choice)])),
    ...(offer.seals ? { seals: offer.seals.map(offered) } : {}),
  });
  if (!options.lists.length) return options;
  return { ...options, options: options.options.map((each) => ({ ...each, commands: each.commands.map(offered) })), lists: [] };
}

const without = (values, but) => (but.length ? values.filter((value) => !but.includes(JSON.stringify(value))) : values);

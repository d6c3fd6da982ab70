// Fields of an offer: choose one of the values that the service lists, or write what a person writes.
//
// Nothing here knows what a field means. Only the form of its values counts: cells, paths, creatures, or words.

import { valuesOf } from "../client/rewound.mjs";
import { button, html, words } from "../shared/dom.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */
/** @typedef {Map<string, Json>} Tokens */
/**
 * @typedef {object} Field a field of a form
 * @property {string} name
 * @property {HTMLElement} node
 * @property {() => any} value what it has now; undefined while it is not complete
 * @property {(id: string) => boolean} [pick] take a creature that was clicked on the map; false if it cannot be chosen
 * @property {(cell: number[]) => boolean} [choose] take a cell that was clicked on the map
 * @property {() => {cells: number[][], path: number[][], creatures: string[]}} offered what can be clicked
 */

const FEW = 6; // values that are shown as buttons; more are a list
const NOTHING = { cells: [], path: [], creatures: [] };

const isCell = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);
const isPath = (value) => Array.isArray(value) && value.every(isCell);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const end = (value) => (isCell(value) ? value : isPath(value) ? value.at(-1) : undefined);

/** Return places, the nearest ones first. @param {any[]} values @param {number[] | undefined} near */
const nearFirst = (values, near) => {
  if (!near) return values;
  const far = (value) => {
    const place = end(value);
    return place ? Math.hypot(place[0] - near[0], place[1] - near[1]) : -1;
  };
  return [...values].sort((a, b) => far(a) - far(b));
};

/** Return a value in words. @param {any} value @param {Tokens} tokens @returns {string} */
export const inWords = (value, tokens) => {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isCell(value)) return `cell ${value.join(", ")}`;
  if (Array.isArray(value)) {
    if (!value.length) return "none";
    return isPath(value) ? `${value.length} cells to ${value.at(-1).join(", ")}` : value.map((each) => inWords(each, tokens)).join(" and ");
  }
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${tokens.get(name)?.name ?? words(name)}: ${inWords(each, tokens)}`).join(", ") || "none";
  return tokens.get(value)?.name ?? words(value);
};

/** Return the creatures that choosing a value means. @param {any} value @param {Tokens} tokens @returns {string[]} */
const creaturesIn = (value, tokens) => [value].flat().filter((each) => typeof each === "string" && tokens.has(each));

/**
 * Return a field with listed values.
 * @param {string} name @param {any} choice as in an offer @param {Tokens} tokens @param {() => void} changed
 * @param {number[]} [near] the cell near which places are listed first @returns {Field}
 */
export const choiceField = (name, choice, tokens, changed, near) => {
  const all = valuesOf(choice);
  const isOfPlaces = all.some((value) => isCell(value) || (isPath(value) && value.length > 0));
  const values = isOfPlaces ? nearFirst(all, near ?? choice.start) : all;
  let chosen = isOfPlaces && values.length > 1 ? -1 : 0;
  const controls = values.length > FEW ? listOf() : buttonsOf();
  const take = (index) => {
    if (index < 0) return false;
    chosen = index;
    controls.show(index);
    changed();
    return true;
  };

  function listOf() {
    const node = html("select", { id: `field-${name}`, onchange: () => take(Number(node.value)) },
      chosen < 0 && html("option", { value: -1 }, "Click on the map, or choose here"),
      values.map((value, index) => html("option", { value: index }, inWords(value, tokens))));
    return { node, show: (index) => { node.value = String(index); } };
  }
  function buttonsOf() {
    const node = html("div", { class: "row", role: "group", "aria-label": words(name) }, values.map((value, index) =>
      button(inWords(value, tokens), () => take(index), { "aria-pressed": String(index === chosen) })));
    return { node, show: (open) => [...node.children].forEach((each, index) => each.setAttribute("aria-pressed", String(index === open))) };
  }

  const start = choice.start ? [choice.start] : [];
  return {
    name,
    node: html("div", { class: "field" }, html("label", { for: `field-${name}` }, words(name)), controls.node),
    value: () => values[chosen],
    pick: (id) => take(values.findIndex((value) => same(creaturesIn(value, tokens), [id]))),
    choose: (cell) => take(values.findIndex((value) => same(end(value), cell))),
    offered: () => (isOfPlaces
      ? { cells: values.map(end).filter(Boolean), path: chosen < 0 ? [] : isCell(values[chosen]) ? [values[chosen]] : [...start, ...values[chosen]], creatures: [] }
      : { ...NOTHING, creatures: [...new Set(values.flatMap((value) => creaturesIn(value, tokens)))] }),
  };
};

/**
 * Return a field with the dice that a prompt wants.
 * @param {string[]} wants as `heart:d8` @param {() => void} changed @returns {Field}
 */
export const diceField = (wants, changed) => {
  const inputs = wants.map((want) => {
    const [role, sides] = want.split(":d");
    return html("input", { type: "number", min: 1, max: sides, required: true, inputmode: "numeric", "aria-label": `${words(role)}, d${sides}`, oninput: changed });
  });
  const throwAll = () => {
    for (const input of inputs) input.value = String(1 + (crypto.getRandomValues(new Uint32Array(1))[0] % Number(input.max)));
    changed();
  };
  return {
    name: "faces",
    node: html("div", { class: "field" }, html("span", { class: "label" }, "The dice as they fell"),
      html("div", { class: "row dice-field" }, inputs.map((input, index) => html("label", {}, html("small", {}, words(wants[index]).replace(":", " ")), input)),
        button("Throw them here", throwAll))),
    value: () => (inputs.every((input) => input.value && input.checkValidity()) ? inputs.map((input) => Number(input.value)) : undefined),
    offered: () => NOTHING,
  };
};

/**
 * Return a field that a person writes.
 * @param {string} name @param {Json} schema of the field @param {() => void} changed @returns {Field}
 */
export const writtenField = (name, schema, changed) => {
  const kind = [schema.type].flat()[0];
  const given = { id: `field-${name}`, oninput: changed, onchange: changed, required: true };
  const input = schema.enum ? html("select", given, schema.enum.map((value) => html("option", { value }, words(value))))
    : kind === "integer" ? html("input", { ...given, type: "number", step: 1 })
    : kind === "boolean" ? html("select", given, html("option", { value: "true" }, "yes"), html("option", { value: "false" }, "no"))
    : html("textarea", { ...given, rows: kind === "string" ? 2 : 4 });
  const read = { string: (text) => text, integer: Number };
  return {
    name,
    node: html("div", { class: "field" }, html("label", { for: `field-${name}` }, words(name)), input,
      schema.description && html("p", { class: "soft small" }, schema.description)),
    value: () => {
      if (!input.value) return undefined;
      try {
        return (schema.enum ? read.string : read[kind] ?? JSON.parse)(input.value);
      } catch {
        return undefined;
      }
    },
    offered: () => NOTHING,
  };
};

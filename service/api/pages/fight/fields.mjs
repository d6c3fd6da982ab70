// Fields of an offer: choose one of the values that the service lists, or throw dice. They are drawn from their values.
//
// Nothing here knows what a field means. Only the form of its values counts: cells, paths, creatures, or words.

import { valuesOf } from "../client/rewound.mjs";
import { button, capital, html, words } from "../shared/dom.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */
/** @typedef {Map<string, {name: string, position?: number[]}>} Tokens what a field knows of creatures: their names and places, by id */
/** @typedef {any} Value one of the values that the service lists, whatever it means */
/** @typedef {{cells: number[][], path: number[][], creatures: string[]}} Offered what can be clicked on the map */

const FEW = 6; // values that are shown as buttons; more are a list
const CELL_FT = 5;
const EDGE = /^(-?\d+),(-?\d+)\|(-?\d+),(-?\d+)$/; // of two cells, as openings name it
/** @type {[string, string, number[]][]} the steps of a way that is drawn: the sign, its name, across and down */
const STEPS = [["↖", "up and left", [-1, -1]], ["↑", "up", [0, -1]], ["↗", "up and right", [1, -1]], ["←", "left", [-1, 0]], ["→", "right", [1, 0]], ["↙", "down and left", [-1, 1]], ["↓", "down", [0, 1]], ["↘", "down and right", [1, 1]]];
export const NOTHING = { cells: [], path: [], creatures: [] };

/** @param {Value} value */
const isCell = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);
/** @param {Value} value */
const isPath = (value) => Array.isArray(value) && value.every(isCell);
/** @param {Value} a @param {Value} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Return the cell that a place is, or in which a path ends. @param {Value} value @returns {number[] | undefined} */
const end = (value) => (isCell(value) ? value : isPath(value) ? value.at(-1) : undefined);

/** Return the cells from one to another, each beside the one before. @param {number[]} from @param {number[]} to @returns {number[][]} */
const stepsTo = ([x, y], to) => {
  const cells = [];
  while (x !== to[0] || y !== to[1]) cells.push([x += Math.sign(to[0] - x), y += Math.sign(to[1] - y)]);
  return cells;
};

/** Return the creatures that choosing a value means. @param {any} value @param {Tokens} tokens @returns {string[]} */
const creaturesIn = (value, tokens) => [value].flat().filter((each) => typeof each === "string" && tokens.has(each));

/** Return places or creatures, the nearest ones first. @param {any[]} values @param {number[] | undefined} near @param {Tokens} tokens */
const nearFirst = (values, near, tokens) => {
  if (!near) return values;
  const far = (/** @type {Value} */ value) => {
    const place = end(value) ?? tokens.get(creaturesIn(value, tokens)[0])?.position;
    return place ? Math.hypot(place[0] - near[0], place[1] - near[1]) : -1;
  };
  return [...values].sort((a, b) => far(a) - far(b));
};

/** Return a value in words. @param {any} value @param {Tokens} tokens @returns {string} */
export const inWords = (value, tokens) => {
  if (value === null || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isCell(value)) return `cell ${value.join(", ")}`;
  if (Array.isArray(value)) {
    if (!value.length) return "none";
    return isPath(value) ? `${value.length} cell${value.length === 1 ? "" : "s"} (${value.length * CELL_FT} ft) to ${value.at(-1).join(", ")}` : value.map((each) => inWords(each, tokens)).join(" and ");
  }
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${tokens.get(name)?.name ?? words(name)}: ${inWords(each, tokens)}`).join(", ") || "none";
  return tokens.get(value)?.name ?? words(String(value).replace(EDGE, "$1, $2 and $3, $4"));
};

/** Return whether choosing a value changes nothing: none, no, an empty list. @param {any} value */
export const isHarmless = (value) => value === null || value === false || value === "none" || value === "" || (Array.isArray(value) && !value.length);

/** A field with listed values: what may be chosen, and how it is shown. It has no state of its own. */
export class ChoiceField {
  /**
   * @param {string} name @param {any} choice as in an offer @param {Tokens} tokens
   * @param {number[]} [near] the cell near which places and creatures are listed first
   * @param {boolean} [isGap] whether the sentence of the offer waits for it, so that a person has to choose
   */
  constructor(name, choice, tokens, near, isGap = false) {
    /** @type {Value[]} */
    const all = valuesOf(choice);
    this.name = name;
    this.tokens = tokens;
    this.start = choice.start ?? null;
    this.isOfPlaces = all.some((value) => isCell(value) || (isPath(value) && value.length > 0));
    this.isGap = isGap;
    this.isOfCreatures = all.some((value) => creaturesIn(value, tokens).length > 0);
    this.values = this.isOfPlaces || this.isOfCreatures ? nearFirst(all, near ?? choice.start, tokens) : all;
  }

  /** Whether one of the values changes nothing. */
  get mayBeNothing() {
    return this.values.some(isHarmless);
  }

  /** What is chosen before anybody chooses: what changes nothing. What an offer is about a person chooses, unless there is one value alone. */
  get first() {
    const real = this.values.filter((value) => !isHarmless(value));
    if (this.isGap && real.length < this.values.length) return real.length === 1 ? real[0] : undefined;
    const harmless = this.values.find(isHarmless);
    if (harmless !== undefined) return harmless;
    return (this.isOfPlaces || this.isOfCreatures) && this.values.length > 1 ? undefined : this.values[0];
  }

  /** Return the value that is still listed, or a way that a person drew; undefined for any other. @param {any} value */
  kept(value) {
    return this.values.find((each) => same(each, value)) ?? (this.#isDrawn(value) ? value : undefined);
  }

  /** Return whether a value is a way from the start, cell by cell. The service lists the straight ones alone. @param {any} value */
  #isDrawn(value) {
    return Boolean(this.start) && isPath(value) && value.length > 0 && value.every((/** @type {number[]} */ cell, /** @type {number} */ index) => stepsTo(index ? value[index - 1] : this.start, cell).length === 1);
  }

  /** Return the way that goes on to a cell, or back to it; undefined where nobody draws ways. @param {any} value the way so far @param {number[]} cell */
  further(value, cell) {
    if (!this.start) return undefined;
    const way = this.kept(value) ?? [];
    const at = way.findIndex((/** @type {number[]} */ each) => same(each, cell));
    return at >= 0 ? way.slice(0, at + 1) : [...way, ...stepsTo(way.at(-1) ?? this.start, cell)];
  }

  /** Return the value that a creature on the map means. @param {string} id */
  picked(id) {
    return this.values.find((value) => same(creaturesIn(value, this.tokens), [id]));
  }

  /** Return the value that a cell on the map means, while *value* is chosen: a way that is drawn goes on to its neighbours. @param {number[]} cell @param {any} [value] */
  reached(cell, value) {
    if (value && !this.values.some((each) => same(each, value)) && this.further(value, cell)?.length <= value.length + 1) return this.further(value, cell);
    return this.values.find((value) => same(end(value), cell));
  }

  /** Return whether a creature is among the values. @param {string} id */
  concerns(id) {
    return this.values.some((value) => creaturesIn(value, this.tokens).includes(id));
  }

  /** Return what can be clicked, while *value* is chosen. @param {any} value @returns {Offered} */
  offered(value) {
    if (!this.isOfPlaces) return { ...NOTHING, creatures: [...new Set(this.values.flatMap((each) => creaturesIn(each, this.tokens)))] };
    const way = value === undefined || value === null ? [] : isCell(value) ? [value] : [...(this.start ? [this.start] : []), ...value];
    return { cells: this.values.map(end).filter((each) => each !== undefined), path: way, creatures: [] };
  }

  /** Draw it. @param {any} value @param {(value: any) => void} take */
  draw(value, take) {
    const { name, values, tokens } = this;
    const id = `field-${name}`;
    const control = values.length > FEW
      ? html("select", { id, onchange: (event) => { const index = Number(event.target.value); if (index >= 0) take(values[index]); } },
        value === undefined && html("option", { key: -1, value: -1, selected: true }, this.isOfPlaces || this.isOfCreatures ? "Click on the map, or choose here" : "Choose"),
        value !== undefined && !values.some((each) => same(each, value)) && html("option", { key: -2, value: -2, selected: true }, `${inWords(value, tokens)}, as you draw it`),
        values.map((each, index) => html("option", { key: index, value: index, selected: value !== undefined && same(each, value) }, inWords(each, tokens))))
      : html("div", { class: "row", id, role: "group", "aria-label": words(name) }, values.map((each, index) =>
        button(inWords(each, tokens), () => take(each), { key: index, "aria-pressed": String(value !== undefined && same(each, value)) })));
    return html("div", { class: "field", key: name }, values.length > FEW ? html("label", { for: id }, capital(words(name))) : html("span", { class: "label" }, capital(words(name))), control, this.start && this.#pad(value, take));
  }

  /** Draw buttons by which a way goes on cell by cell, around corners too. @param {any} value @param {(value: any) => void} take */
  #pad(value, take) {
    const [x, y] = value?.at(-1) ?? this.start;
    return html("div", { class: "row pad", role: "group", "aria-label": "One cell further", key: "pad" }, STEPS.map(([sign, name, [dx, dy]]) =>
      button(sign, () => take(this.further(value, [x + dx, y + dy])), { key: sign, "aria-label": name, title: `One cell ${name}` })),
    button("⌫", () => take(value.length > 1 ? value.slice(0, -1) : undefined), { key: "back", "aria-label": "one cell less", title: "One cell less", disabled: !value?.length }));
  }
}

/**
 * Draw the dice that a prompt wants, as they fell.
 * @param {string[]} wants as `heart:d8` @param {(number | undefined)[]} faces @param {(faces: (number | undefined)[]) => void} take
 */
export const drawDice = (wants, faces, take) => html("div", { class: "field", key: "faces" }, html("span", { class: "label" }, "The dice as they fell"),
  html("div", { class: "row dice-field" }, wants.map((want, index) => {
    const [role, sides] = want.split(":d");
    return html("label", { key: index }, html("small", {}, words(want).replace(":", " ")), html("input", {
      type: "number", min: 1, max: sides, inputmode: "numeric", "aria-label": `${words(role)}, d${sides}`, value: faces[index] ?? "",
      oninput: (event) => take(wants.map((_, at) => (at === index ? (event.target.value && event.target.checkValidity() ? Number(event.target.value) : undefined) : faces[at]))),
    }));
  }),
  button("Throw them here", () => take(wants.map((want) => 1 + (crypto.getRandomValues(new Uint32Array(1))[0] % Number(want.split(":d")[1])))))));

// Write a creature of an opening: a stat block of the book by its name, a character of an earlier fight, or a sheet by form.

import { capital, html, words } from "./dom.mjs";
import { blankOf, fieldOf, withPart } from "./form.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {{blocks: Json[], sheet: Json | null, groups: Json[], spaces: Record<string, number>}} Book what an edition has: stat blocks, the schema of a sheet with its groups, and the cells that sizes fill along one side */

/** Read what an edition has. @param {import("../client/rewound.mjs").Client} client @param {string} edition @returns {Promise<Book>} */
export const bookOf = async (client, edition) => {
  const [blocks, written] = await Promise.all([client.library(edition, { kind: "stat_block" }), client.sheetSchema(edition).catch(() => null)]);
  return { blocks, sheet: written?.schema ?? null, groups: written?.groups ?? [], spaces: written?.opening.spaces ?? {} };
};

/** Return how many cells a creature fills along one side. @param {Book | null | undefined} book @param {Json | undefined} sheet */
export const spaceOf = (book, sheet) => book?.spaces[sheet?.size ?? book.sheet?.properties.size?.default] ?? 1;

/** Return the cells of a creature, by name. @param {number[]} position @param {number} space @returns {string[]} */
export const cellsFrom = ([x, y], space) => Array.from({ length: space * space }, (_, at) => String([x + (at % space), y + Math.floor(at / space)]));

/** Return an id that nobody has, of a name. @param {string} name @param {Iterable<string>} taken */
export const idOf = (name, taken) => {
  const known = new Set(taken);
  const plain = name.toLowerCase().normalize("NFKD").replace(/\p{M}+/gu, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 20) || "creature";
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? plain : `${plain}-${number}`;
    if (!known.has(id)) return id;
  }
};

/** Return the blocks that a search finds. @param {Json[]} blocks @param {string} wanted */
export const found = (blocks, wanted) => {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return blocks.filter(({ name, id, group, text }) => parts.every((part) => `${name} ${id} ${group} ${text}`.toLowerCase().includes(part)));
};

/** Return a new sheet of a name and a side, as the book has it. @param {Book} book @param {string} id @param {string} name @param {string} side */
export const newSheet = (book, id, name, side) => ({ ...blankOf(book.sheet ?? {}, book.sheet ?? {}), id, name, side });

/**
 * Draw the form of a sheet, by its groups.
 * @param {Book} book @param {Json} sheet @param {(sheet: Json) => void} change @param {{faults?: Map<string, string>, id?: string, sides?: string[]}} [about]
 */
export const drawSheet = (book, sheet, change, { faults, id = "sheet", sides = [] } = {}) => {
  const root = book.sheet ?? {};
  /** @type {import("./form.mjs").Form} */
  const form = {
    root, id, faults,
    set: (path, value) => change(withPart(sheet, path, value)),
    known: (name) => (name === "side" && sides.length ? sides.map((each) => [each, words(each)]) : undefined),
  };
  const needed = new Set(root.required);
  return book.groups.map(({ title, fields }, index) => {
    const shown = fields.filter((/** @type {string} */ name) => name !== "id" && root.properties[name]);
    const drawn = shown.map((/** @type {string} */ name) => fieldOf(form, root.properties[name], sheet[name] ?? root.properties[name].default, [name], needed.has(name)));
    return drawn.length ? html("details", { key: title, class: "sheet-group", open: index === 0 }, html("summary", {}, title), drawn) : null;
  });
};

/** Draw what a stat block has, in a line. @param {Json} block */
export const blockLine = ({ data, text }) => {
  if (text) return text;
  const few = Object.entries(data ?? {}).filter(([name, value]) => ["hp_max", "size", "level", "kind"].includes(name) && value).map(([name, value]) => (name === "hp_max" ? `${value} hit points` : name === "level" ? `level ${value}` : words(value)));
  return capital(few.join(", "));
};

/** Draw a search over stat blocks. @param {Json[]} blocks @param {string} wanted @param {(wanted: string) => void} search @param {(block: Json) => void} pick @param {string} id */
export const drawBlocks = (blocks, wanted, search, pick, id) => {
  const shown = found(blocks, wanted);
  return html("div", { class: "blocks", key: id }, html("div", { class: "field" }, html("label", { for: id }, "Stat blocks of the book"),
    html("input", { id, type: "search", placeholder: "goblin, ogre …", value: wanted, autocomplete: "off", oninput: (event) => search(event.target.value) })),
  html("ul", { class: "block-list" }, shown.map((block) => html("li", { key: block.id }, html("button", { type: "button", class: "block", "aria-label": `Add ${block.name}`, onclick: () => pick(block) },
    html("b", {}, block.name), html("span", { class: "soft small" }, blockLine(block)))))),
  shown.length ? null : html("p", { class: "soft small" }, "No stat block has this name. A sheet by form makes any creature."));
};

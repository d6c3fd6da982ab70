// A creature's sheet, in words, as this seat may read it; and its conditions, with their rule in the book.

import { button, capital, html, show, words } from "../shared/dom.mjs";

/** @typedef {import("../client/contract.mjs").CreatureSheet["groups"]} Groups */
/** @typedef {import("../client/contract.mjs").Library["entries"][number]} Entry */
/** @typedef {{name: string, level: number}} Condition */

/** Return how an entry of a library and a condition of a creature are both written. @param {string} name */
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** Draw a name with what it means. @param {string} name @param {string} text @param {string | null} [note] */
const line = (name, text, note) => html("div", { class: "sheet-line" }, html("dt", {}, name), html("dd", {}, text, note && html("small", { class: "soft" }, ` ${note}`)));

/** Draw the conditions of a creature. @param {readonly Condition[]} conditions @param {Entry[]} library */
const drawConditions = (conditions, library) => (conditions.length ? [html("h3", {}, "Conditions now"), html("dl", {}, conditions.map(({ name, level }) =>
  line(capital(words(level > 1 ? `${name} ${level}` : name)), library.find((each) => plain(each.id) === plain(name))?.text ?? "")))] : null);

const PLAIN = new Set(["its", "the", "a", "of", "in", "whether", "it", "kind", "which", "those", "listed"]);

/** Return a note that says more than the title beside it; null if it does not. @param {string} title @param {string | null} note */
const saysMore = (title, note) => {
  const known = new Set(plain(title).split("-"));
  return plain(note ?? "").split("-").some((each) => each && !known.has(each) && !PLAIN.has(each)) ? note : null;
};

/** Draw one group of a sheet: what is not empty. @param {Groups[number]} group */
const drawGroup = ({ title, lines }) => {
  const filled = lines.filter(({ name, text }) => text !== "" && name !== "name");
  return filled.length ? [html("h3", {}, title), html("dl", {}, filled.map(({ title: called, text, note }) => line(capital(called), text, saysMore(called, note))))] : null;
};

/**
 * Show the sheet of a creature in a dialog.
 * @param {import("../client/rewound.mjs").Encounter} encounter @param {{line?: string, seen_by?: string, at?: number}} asked @param {string} edition
 * @param {{id: string, name: string, conditions: readonly Condition[]}} token
 */
export const showSheet = async (encounter, asked, edition, { id, name, conditions }) => {
  const body = html("div", { class: "sheet-body", tabindex: "0" }, html("p", { class: "soft" }, "…"));
  const dialog = html("dialog", { class: "card sheet-of", "aria-labelledby": "sheet-title", onclose: () => dialog.remove() },
    html("div", { class: "row sheet-head" }, html("h2", { id: "sheet-title" }, name), button("Close", () => dialog.close(), { autofocus: true })), body);
  document.body.append(dialog);
  dialog.showModal();
  try {
    const [groups, library] = await Promise.all([encounter.sheet(id, asked), encounter.client.library(edition, { kind: "condition" })]);
    show(body, drawConditions(conditions, library), groups.flatMap((each) => drawGroup(each) ?? []));
  } catch (fault) {
    show(body, drawConditions(conditions, []), html("p", {}, capital(/** @type {any} */ (fault).detail ?? /** @type {any} */ (fault).message)));
  }
};

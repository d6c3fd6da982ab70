// Notes on a file that was taken in, as sentences for people.

import { capital } from "../shared/dom.mjs";

/** @type {Record<string, string>} what the parts of a map are called that notes are about */
const PARTS = { line_of_sight: "Walls", objects_line_of_sight: "Walls of objects", portals: "Doors and windows", lights: "Lights" };

/**
 * Return notes in sentences: those that are alike as one, without the parameters of a request that would have another effect.
 * @param {string[]} notes each with the JSON pointer that it is about, if it has one
 */
export const sayNotes = (notes) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const each of notes) {
    const [, part, text = each] = /^\/(\w+)\S*: (.*)$/s.exec(each) ?? [];
    const said = `${PARTS[part] ? `${PARTS[part]}: ` : ""}${text.replace(/(?:[;:,][^;:,]* | \()\?\w+=.*$/s, "")}`;
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  return [...counts].map(([said, count]) => `${capital(said)}${count > 1 ? ` (${count} times)` : ""}.`).join(" ");
};

// Draw dice: the face, how many sides, and what the die is for.

import { html, words } from "../shared/dom.mjs";

/** @typedef {import("../client/contract.mjs").Roll} Roll */

/** Return the name of a roll, as the verifier writes it. @param {Roll} roll */
export const rollName = ({ name: { epoch, lane, stream, place } }) => `${epoch}/${lane}/${stream}#${place}`;

/** @param {Roll["dice"][number]} die */
const dieOf = ({ role, sides, face, dropped }) => html("span", {
  class: `die${dropped ? " is-dropped" : ""}${face === sides ? " is-high" : ""}`,
  title: `${words(role)}: d${sides} shows ${face}${dropped ? ", not counted" : ""}`,
}, html("b", {}, face), html("small", {}, `${words(role)} d${sides}`));

/** @param {Roll} roll @param {Map<string, string>} names */
const whose = ({ name: { stream }, purpose: { against } }, names) => {
  const [id] = stream.split("/");
  return `${names.get(id) ?? words(id)}${against ? ` against ${names.get(String(against)) ?? words(String(against))}` : ""}`;
};

/** @param {Roll["terms"][number]} term */
const termOf = ({ amount, what, rule }) => html("span", { class: "term", title: rule ?? "" },
  `${amount < 0 ? "−" : "+"}${Math.abs(amount)} ${words(what)}`);

/**
 * Return a roll as a line: for what and whom, its dice, its terms.
 * @param {Roll} roll @param {Map<string, string>} [names] of creatures, by id
 */
export const rollLine = (roll, names = new Map()) => html("div", { class: "roll" },
  html("span", { class: "for" }, words(String(roll.purpose.what ?? roll.name.stream)), html("small", {}, ` ${whose(roll, names)}`)),
  roll.dice.map(dieOf), roll.terms.map(termOf),
  roll.total === undefined ? null : html("b", { class: "total" }, `= ${roll.total}`),
  roll.source === "declared" ? html("span", { class: "chip" }, `thrown by hand${roll.by ? `, entered by ${roll.by}` : ""}`) : null);

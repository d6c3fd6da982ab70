// Show in a dialog how one die, or one commit's place in the signed record, is recomputed: each step with its bytes.

import { button, faultText, html, show } from "./dom.mjs";

/** @typedef {import("../verifier/steps.mjs").Steps} Steps */
/** @typedef {import("../verifier/steps.mjs").Step} Step */

const FOLDED = 6; // links of a chain beyond so many are folded: each is made as the one before it

/** @param {Step} step */
const stepItem = ({ says, parts, gives, holds }) => html("li", { class: holds === false ? "is-wrong" : null },
  says,
  html("dl", {}, [...parts, ...(gives ? [[`→ ${gives[0]}`, gives[1]]] : [])].flatMap(([name, bytes]) => [html("dt", {}, name), html("dd", {}, bytes)])),
  holds === null ? null : html("p", { class: "check-mark" }, holds ? "✓ the same as in the record" : "✗ not what the record has"));

/** Draw all steps; a long row of steps of one kind is folded in its middle. @param {Step[]} steps */
const stepList = (steps) => {
  const alike = steps.filter(({ isLink }) => isLink);
  if (alike.length <= FOLDED) return html("ol", {}, steps.map(stepItem));
  const first = steps.indexOf(alike[1]), last = steps.indexOf(/** @type {Step} */ (alike.at(-1)));
  return [html("ol", {}, steps.slice(0, first).map(stepItem)),
    html("details", {}, html("summary", {}, `${last - first} more steps of the same kind, one for each epoch`), html("ol", { start: first + 1 }, steps.slice(first, last).map(stepItem))),
    html("ol", { start: last + 1 }, steps.slice(last).map(stepItem))];
};

/** What somebody takes on trust who follows the steps, and why that is little. */
const BELIEVED = [
  ["That commit 1 is older than the dice", "Your own receipt of commit 1, a friend's copy of its hash, or the public log shows it: the service gave it to every seat before the first die."],
  ["That nobody can make other bytes with the same SHA-256", "Nobody has ever found two. Banks, and your browser's own lock, rest on it."],
  ["That this page computes what it shows", "It sends nothing and asks nobody. Do the same steps elsewhere: copy these bytes into any SHA-256 program, or follow the page “By hand” of the documentation in Python."],
];

/** @param {Steps} found */
const report = ({ holds, says, steps }) => [
  html("p", { class: `check-says${holds === null ? "" : holds ? " is-right" : " is-wrong"}`, role: "status" }, says),
  stepList(steps),
  html("h3", {}, "What you need to believe"),
  html("ul", {}, BELIEVED.map(([what, why]) => html("li", {}, html("b", {}, `${what}. `), why))),
];

/** Show what *work* finds, in a dialog. @param {string} title @param {() => Promise<Steps>} work */
export const showCheck = async (title, work) => {
  const body = html("div", { class: "check-body", tabindex: "0", role: "region", "aria-label": "Steps" }, html("p", { class: "soft" }, "Computing …"));
  const dialog = html("dialog", { class: "check", "aria-labelledby": "check-title", onclose: () => dialog.remove() },
    html("div", { class: "check-head" }, html("h2", { id: "check-title" }, title), button("Close", () => dialog.close(), { autofocus: true })), body);
  document.body.append(dialog);
  dialog.showModal();
  try {
    show(body, report(await work()));
  } catch (fault) {
    show(body, html("p", { class: "fault" }, faultText(fault)));
  }
};

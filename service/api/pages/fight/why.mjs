// Why a commit came out so: its answer, its dice with their proof, its rules with their places, the rulings.

import { showCheck } from "../shared/check.mjs";
import { button, faultText, html, show, words } from "../shared/dom.mjs";
import { rollLine, rollName } from "./dice.mjs";

/** @typedef {import("../client/contract.mjs").Explanation} Explanation */
/** @typedef {Explanation["events"][number]} Explained */

/** @typedef {(roll?: string) => Promise<import("../verifier/steps.mjs").Steps>} Check recomputes a roll of the commit, or its place */

/** @param {Explanation["rolls"][number]} found a roll of an explanation @param {Map<string, string>} names @param {Check} check */
const rollOf = ({ roll, text, derivation }, names, check) => html("div", { class: "why-roll" }, rollLine(roll, names), html("p", { class: "small" }, text),
  roll.source === "seeded" && button(roll.dice.length === 1 ? "Check this die yourself" : "Check these dice yourself",
    () => showCheck(roll.dice.length === 1 ? "Check this die" : "Check these dice", () => check(rollName(roll))), { class: "quiet" }),
  html("details", {}, html("summary", {}, derivation.disclosed ? "How each die follows from the seed" : "How it will be proved"),
    html("dl", { class: "proof" }, Object.entries(derivation).filter(([, value]) => value !== null && typeof value !== "object")
      .flatMap(([name, value]) => [html("dt", {}, words(name)), html("dd", {}, String(value))]))));

/** @param {Explanation["rules"][number]} rule */
const ruleOf = ({ id, statement, source }) => html("li", {}, html("b", {}, id), " ", statement, html("p", { class: "soft small" }, source));

/** @param {Explained["rulings"][number]} ruling */
const rulingOf = ({ ambiguity, option, value, text }) => html("li", {}, text, " ",
  html("span", { class: "chip" }, option === null ? ambiguity : `${words(option)}: ${words(String(value))}`));

/** @param {Explained} each */
const eventOf = ({ event, text, rules, rulings }) => html("details", { class: "why-event" },
  html("summary", {}, text || words(event.type)),
  html("ul", {}, rules.map(ruleOf)),
  rulings.length ? [html("h4", {}, "As the house plays it"), html("ul", {}, rulings.map(rulingOf))] : null);

/**
 * Open or close the explanation of commit *n* in *place*.
 * @param {import("../client/rewound.mjs").Encounter} encounter @param {import("../client/rewound.mjs").Query} asked @param {number} n @param {HTMLElement} place
 * @param {Map<string, string>} names of creatures, by id @param {Check} check
 */
export const explain = async (encounter, asked, n, place, names, check) => {
  if (place.querySelector(".why")) {
    place.replaceChildren();
    return;
  }
  show(place, html("p", { class: "soft" }, "…"));
  try {
    const found = /** @type {Explanation} */ (await encounter.client.get(`${encounter.path}/commits/${n}/explanation`, asked));
    show(place, html("div", { class: "why", tabindex: -1 },
      html("p", { class: "answer" }, found.answer),
      found.rolls.map((each) => rollOf(each, names, check)),
      found.events.filter((each) => each.text).map(eventOf),
      found.events.length ? null : html("ul", {}, found.rules.map(ruleOf)),
      button("Check that nobody changed it", () => showCheck(`Check the place of #${n} in the record`, () => check()), { class: "quiet" })));
    /** @type {HTMLElement} */ (place.firstElementChild).focus();
  } catch (fault) {
    show(place, html("p", { class: "fault why" }, faultText(fault)));
  }
};

// Statistics: how often each face came up, with what fair dice lead one to expect, and what each creature did, by rounds.

import { html, show, svg, words } from "../shared/dom.mjs";

/** @typedef {import("../client/contract.mjs").RollStatistics["dice"][number]} Dice */
/** @typedef {import("../client/contract.mjs").CreatureStatistics["creatures"][number]} Counted */
/** @typedef {"dealt" | "taken" | "acts"} What */

/** @param {Dice} type */
const spread = ({ sides, source, dice, faces, p_value: p }) => {
  const most = Math.max(...faces, 1);
  const expected = dice / sides;
  const bars = svg("svg", { class: "spread", viewBox: `0 0 ${sides} 10`, preserveAspectRatio: "none", role: "img",
    "aria-label": `d${sides}: ${faces.map((count, index) => `${index + 1} came ${count} times`).join(", ")}` },
    faces.map((count, index) => svg("rect", { x: index + 0.1, width: 0.8, y: 10 - (10 * count) / most, height: (10 * count) / most },
      svg("title", {}, `${index + 1}: ${count}`))),
    svg("line", { x1: 0, x2: sides, y1: 10 - (10 * expected) / most, y2: 10 - (10 * expected) / most }));
  return html("section", { class: "card dice-type" }, html("h3", {}, `d${sides}`, html("span", { class: "chip" }, source === "declared" ? "thrown by hand" : "by the service")), bars,
    html("div", { class: "faces small" }, faces.map((count, index) => html("span", {}, index + 1))),
    html("p", { class: "soft small" }, `${dice} thrown; a fair die shows each face ${expected.toFixed(1)} times. ${
      p === null ? "Too few to judge." : `Fair dice differ at least so much in ${(100 * p).toFixed(0)} of 100 fights.`}`));
};

/** What is counted of each creature, with its heading. */
const COUNTED = /** @type {[What, string][]} */ ([["dealt", "Damage dealt"], ["taken", "Damage taken"], ["acts", "Acts"]]);

/** Return a table of what was counted, by creature and round. @param {What} what @param {string} title @param {Counted[]} counted @param {Map<string, string>} names */
const table = (what, title, counted, names) => {
  const rounds = [...new Set(counted.flatMap((each) => each.rounds.map(({ round }) => round)))].filter(Boolean).sort((a, b) => a - b);
  return [html("h3", {}, title), html("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `${title}, by rounds`, "data-counted": what }, html("table", {},
    html("thead", {}, html("tr", {}, html("th", {}, "Round"), rounds.map((round) => html("th", {}, round)), html("th", {}, "All"))),
    html("tbody", {}, counted.map((each) => {
      const by = new Map(each.rounds.map((tally) => [tally.round, tally[what]]));
      return html("tr", { "data-of": each.id }, html("th", { scope: "row" }, names.get(each.id) ?? words(each.id)), rounds.map((round) => html("td", {}, by.get(round) || "·")), html("td", {}, html("b", {}, each[what])));
    }))))];
};

/**
 * Draw the statistics.
 * @param {HTMLElement} place @param {Dice[]} dice @param {Counted[]} counted what each creature did @param {Map<string, string>} names of creatures, by id
 */
export const drawStatistics = (place, dice, counted, names) => show(place,
  counted.length ? [COUNTED.map(([what, title]) => table(what, title, counted, names)),
    html("p", { class: "soft small" }, "What is sealed from this seat counts when it is opened.")] : null,
  html("h3", {}, "Dice that everybody may see"), dice.length ? dice.map(spread) : html("p", { class: "soft" }, "No dice yet."));

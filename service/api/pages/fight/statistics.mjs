// Statistics: how often each face came up, with what fair dice lead one to expect, and what each creature did by rounds.

import { html, show, svg, words } from "../shared/dom.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */

/** @param {Json} type */
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

/** Return hit points lost and commits that name it, by creature and round. @param {import("./record.mjs").FightRecord} record */
const tally = (record) => {
  const rows = new Map();
  const row = (id) => rows.get(id) ?? rows.set(id, { lost: new Map(), named: 0 }).get(id);
  record.scenes.forEach(({ tokens, round }, index) => {
    for (const [id, token] of tokens) {
      const before = record.scenes[index - 1]?.tokens.get(id);
      if (before?.hp > token.hp && token.hp !== null) row(id).lost.set(round, (row(id).lost.get(round) ?? 0) + before.hp - token.hp);
      if (record.entries[index]?.named.has(id)) row(id).named += 1;
    }
  });
  return rows;
};

/**
 * Draw the statistics.
 * @param {HTMLElement} place @param {Json[]} dice @param {import("./record.mjs").FightRecord} record
 */
export const drawStatistics = (place, dice, record) => {
  const tokens = record.scenes.at(-1)?.tokens ?? new Map();
  const rounds = [...new Set(record.scenes.map((scene) => scene.round))].filter(Boolean);
  const rows = tally(record);
  show(place, html("h3", {}, "Hit points lost, by rounds"),
    html("div", { class: "wide", role: "region", tabindex: 0, "aria-label": "Hit points lost by round" }, html("table", {}, html("thead", {}, html("tr", {}, html("th", {}, "Creature"), rounds.map((round) => html("th", {}, round)), html("th", {}, "All"), html("th", {}, "Commits"))),
      html("tbody", {}, [...tokens.values()].map(({ id, name }) => {
        const { lost, named } = rows.get(id) ?? { lost: new Map(), named: 0 };
        return html("tr", {}, html("th", { scope: "row" }, name), rounds.map((round) => html("td", {}, lost.get(round) ?? "·")),
          html("td", {}, [...lost.values()].reduce((sum, each) => sum + each, 0)), html("td", {}, named));
      })))),
    html("h3", {}, "Dice that everybody may see"), dice.length ? dice.map(spread) : html("p", { class: "soft" }, `No ${words("dice")} yet.`));
};

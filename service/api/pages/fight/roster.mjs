// The creatures as a list: names, sides, hit points, conditions; pick one to see it on the map.

import { html, patch, words } from "../shared/dom.mjs";
import { described, lettersOf } from "./map.mjs";

/** @typedef {import("./record.mjs").Tokens} Tokens */
/** @typedef {import("../client/contract.mjs").CreatureToken} Token */

/** Draw the list. @param {HTMLElement} place @param {Tokens} tokens @param {string | null} selected @param {(id: string) => void} picked */
export const drawRoster = (place, tokens, selected, picked) => {
  /** @type {Map<string, Token[]>} */
  const sides = new Map();
  const letters = lettersOf(tokens.values());
  for (const token of tokens.values()) sides.set(token.side, [...(sides.get(token.side) ?? []), token]);
  patch(place, [...sides].map(([side, members], index) => html("section", { class: `roster side-${index % 4}` },
    html("h3", {}, html("span", { class: "swatch", "aria-hidden": "true" }), words(side)),
    html("ul", {}, members.map((token) => html("li", { key: token.id }, html("button", {
      type: "button", class: `creature is-${token.status}`, "aria-pressed": String(token.id === selected), "aria-label": described(token, letters.get(token.id)),
      onclick: () => picked(token.id),
    },
    html("span", { class: "badge", "aria-hidden": "true" }, letters.get(token.id)), html("b", {}, token.name), token.acts && html("span", { class: "chip" }, "may act"),
    token.hidden && html("span", { class: "chip" }, "hidden"),
    html("span", { class: "hp" }, token.hp === null ? "?" : `${token.hp} / ${token.hp_max ?? "?"}`),
    html("meter", { min: 0, max: token.hp_max ?? 1, value: Math.max(0, token.hp ?? 0), low: (token.hp_max ?? 1) / 3, "aria-hidden": "true" }),
    html("span", { class: "conditions" }, token.status !== "active" && html("span", { class: "chip fault" }, token.status),
      token.conditions.map(({ name, level }) => html("span", { class: "chip" }, words(level > 1 ? `${name} ${level}` : name)))))))))));
};

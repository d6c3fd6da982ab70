// The creatures as a list: names, sides, hit points, conditions; pick one to see it on the map.

import { html, patch, redraw, words } from "../shared/dom.mjs";
import { described } from "./map.mjs";
import { lettersOf } from "./names.mjs";

/** @typedef {import("./record.mjs").Tokens} Tokens */
/** @typedef {import("../client/contract.mjs").CreatureToken} Token */
/** @typedef {{node: HTMLElement, shown: string}} Row `shown` is all that the row shows, as one text */

/** The list, in an element of the page: a row is drawn again if it would show something else. */
export class Roster {
  /** @param {HTMLElement} place @param {(id: string) => void} picked */
  constructor(place, picked) {
    this.place = place;
    this.picked = picked;
    /** @type {Map<string, Row>} by the id of the creature */
    this.rows = new Map();
    /** @type {Map<string, {node: HTMLElement, list: HTMLElement}>} by side */
    this.sides = new Map();
  }

  /** Draw the list. @param {Tokens} tokens @param {string | null} selected */
  draw(tokens, selected) {
    /** @type {Map<string, Token[]>} */
    const sides = new Map();
    const letters = lettersOf(tokens.values());
    for (const token of tokens.values()) sides.set(token.side, [...(sides.get(token.side) ?? []), token]);
    patch(this.place, [...sides.keys()].map((side) => this.#side(side).node));
    for (const [side, members] of sides) {
      patch(this.#side(side).list, members.map((token) => this.#row(token, token.id === selected, letters.get(token.id))));
    }
    for (const id of this.rows.keys()) if (!tokens.has(id)) this.rows.delete(id);
  }

  /** @param {string} side */
  #side(side) {
    const known = this.sides.get(side);
    if (known) return known;
    const list = html("ul");
    const node = html("section", { class: `roster side-${this.sides.size % 4}` },
      html("h3", {}, html("span", { class: "swatch", "aria-hidden": "true" }), words(side)), list);
    this.sides.set(side, { node, list });
    return { node, list };
  }

  /** @param {Token} token @param {boolean} isSelected @param {string | undefined} letters */
  #row(token, isSelected, letters) {
    const known = this.rows.get(token.id);
    const shown = [described(token, letters), letters, token.hp_max, isSelected].join();
    if (known?.shown === shown) return known.node;
    const drawn = this.#drawn(token, isSelected, letters);
    if (known) redraw(known.node, drawn);
    const node = known?.node ?? drawn;
    this.rows.set(token.id, { node, shown });
    return node;
  }

  /** @param {Token} token @param {boolean} isSelected @param {string | undefined} letters */
  #drawn(token, isSelected, letters) {
    const { id, name, status, hp, hp_max: most, conditions } = token;
    return html("li", { key: id }, html("button", {
      type: "button", class: `creature is-${status}`, "aria-pressed": String(isSelected), "aria-label": described(token, letters), onclick: () => this.picked(id),
    },
    html("span", { class: "badge", "aria-hidden": "true" }, letters), html("b", {}, name), token.acts && html("span", { class: "chip" }, "may act"),
    token.hidden && html("span", { class: "chip" }, "hidden"),
    html("span", { class: "hp" }, hp === null ? "?" : `${hp} / ${most ?? "?"}`),
    html("meter", { min: 0, max: most ?? 1, value: Math.max(0, hp ?? 0), low: (most ?? 1) / 3, "aria-hidden": "true" }),
    html("span", { class: "conditions" }, status !== "active" && html("span", { class: "chip fault" }, status),
      conditions.map((each) => html("span", { class: "chip" }, words(each.level > 1 ? `${each.name} ${each.level}` : each.name))))));
  }
}

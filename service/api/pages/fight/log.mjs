// The log: what happened, in sentences, grouped by rounds. The entry of the commit on screen is marked.
//
// Entries are made once and appended; only those that were read again are made again.

import { button, html, show, words } from "../shared/dom.mjs";
import { rollLine } from "./dice.mjs";

/** @typedef {import("./record.mjs").Entry} Entry */
/** @typedef {import("./record.mjs").FightRecord} FightRecord */

const KEPT = { refused: "refused", quarantined: "could not be decided" };

/** @param {string} text */
const sentence = (text) => {
  const [, inner] = /^\((.*)\)$/s.exec(text) ?? [];
  const said = inner ?? text;
  return html("p", { class: inner ? "aside" : null }, said.charAt(0).toUpperCase() + said.slice(1));
};

/** The log, in an element of the page. */
export class Log {
  /**
   * @param {HTMLElement} place
   * @param {{shown: (n: number) => void, why?: (n: number, place: HTMLElement) => void, contest?: (n: number, place: HTMLElement) => void}} on
   */
  constructor(place, on) {
    this.on = on;
    this.drawn = [];
    this.list = html("ol", { class: "log", "aria-live": "off" });
    this.news = html("p", { class: "visually-hidden", role: "log", "aria-live": "polite" });
    this.filter = html("select", { "aria-label": "Show what concerns", onchange: () => this.#choose() });
    show(place, html("div", { class: "log-head row" }, this.filter), this.news, this.list);
  }

  /** Offer creatures to filter by. @param {Iterable<{id: string, name: string}>} creatures */
  creatures(creatures) {
    const kept = this.filter.value;
    show(this.filter, html("option", { value: "" }, "Everything"),
      [...creatures].map(({ id, name }) => html("option", { value: id, selected: id === kept }, name)));
  }

  /** Append what is new in the record. @param {FightRecord} record @param {boolean} isLive read it aloud, too */
  draw(record, isLive) {
    for (const [index, entry] of record.entries.entries()) {
      const known = this.drawn[index];
      if (known?.entry === entry) continue;
      const node = this.#entry(entry);
      if (known) known.node.replaceWith(node);
      else {
        const round = record.scenes[index]?.round;
        if (round && round !== record.scenes[index - 1]?.round) this.list.append(html("li", { class: "round" }, html("h3", {}, `Round ${round}`)));
        this.list.append(node);
        if (isLive && entry.text.length) this.news.textContent = entry.text.join(". ");
      }
      this.drawn[index] = { entry, node };
    }
    this.#choose();
  }

  /** Mark commit *n*, and scroll the log to it. @param {number} n */
  mark(n) {
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const node = this.drawn[n - 1]?.node;
    if (!node) return;
    node.setAttribute("aria-current", "true");
    this.#reach(node);
    cancelAnimationFrame(this.settling); // entries have their height once they are near: where this one is may differ then
    this.settling = requestAnimationFrame(() => requestAnimationFrame(() => this.#reach(node)));
  }

  #reach(node) {
    const { top, bottom } = node.getBoundingClientRect();
    const frame = this.list.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) this.list.scrollTop += top - frame.top - frame.height / 2 + (bottom - top) / 2;
  }

  /** Return the place beneath commit *n*, for what is said about it. @param {number} n @returns {HTMLElement | null} */
  beneath(n) {
    return this.drawn[n - 1]?.node.querySelector(".beneath") ?? null;
  }

  #choose() {
    for (const { entry, node } of this.drawn) node.hidden = this.filter.value !== "" && !entry.named.has(this.filter.value);
  }

  #entry(entry) {
    const { n, commit, text, rolls, sealed } = entry;
    const beneath = html("div", { class: "beneath" });
    const refusal = commit.refusal;
    return html("li", { class: `entry is-${commit.outcome}`, "data-n": n },
      html("div", { class: "entry-head" },
        button(`#${n}`, () => this.on.shown(n), { class: "number", title: `Show the map after commit ${n}` }),
        KEPT[commit.outcome] && html("span", { class: "chip fault" }, KEPT[commit.outcome]),
        [...new Set(sealed)].map((seats) => html("span", { class: "chip sealed", title: "It is in an envelope in the record, and opens at its moment" },
          html("span", { "aria-hidden": "true" }, "▣ "), `sealed: only ${seats} may read it yet`)),
        html("span", { class: "entry-tools" },
          this.on.why && button("Why?", () => this.on.why(n, beneath), { class: "quiet", "aria-label": `Why? Explain commit ${n}` }),
          this.on.contest && button("Contest", () => this.on.contest(n, beneath), { class: "quiet", "aria-label": `Contest commit ${n}` }))),
      text.map(sentence),
      refusal && html("p", { class: "fault" }, `${refusal.detail} (${words(refusal.code)}${refusal.rule ? `, by ${refusal.rule}` : ""})`),
      rolls.map(rollLine), beneath);
  }
}

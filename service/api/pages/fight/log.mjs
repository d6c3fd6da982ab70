// The log: what happened, in sentences, grouped by rounds and their parts. The entry of the commit on screen is marked.
//
// A chunk of the record is a gap until it is near the screen. Entries are made once; those that were read again are drawn
// again in their places, and keep what was opened beneath them.

import { button, html, patch, redraw, say, words } from "../shared/dom.mjs";
import { rollLine } from "./dice.mjs";
import { namesOf } from "./names.mjs";

/** @typedef {import("./record.mjs").Entry} Entry */
/** @typedef {import("./record.mjs").FightRecord} FightRecord */
/** @typedef {{entry: Entry, node: HTMLElement, head?: HTMLElement, fold?: HTMLElement}} Drawn an entry, the heading above it, and what is folded under it */
/** @typedef {HTMLElement & {isWanted?: boolean}} Gap the place of a chunk, which is drawn as soon as it is read if somebody looks at it */

/** @type {Record<string, string>} what an outcome is called where it is no event */
const KEPT = { refused: "refused", quarantined: "could not be decided" };
const FIRST_LOST = 8; // commits of a line that was left: enough for its first sentence, and for all of a short one

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
   * @param {{shown: (n: number) => void, wanted: (n: number) => void, all: () => void, why?: (n: number, place: HTMLElement) => void,
   *  contest?: (n: number) => void}} on `wanted`: commit n has to be read; `all`: every one
   */
  constructor(place, on, above = html("div")) {
    this.on = on;
    this.above = above; // what a person writes about a commit: it stays, whatever becomes of the entries
    /** @type {Drawn[]} by number less one */
    this.drawn = [];
    /** @type {(Gap | null)[]} by chunk: the gap in its place, null where its entries are drawn */
    this.gaps = [];
    /** @type {FightRecord | null} */
    this.record = null;
    /** @type {Map<string, string>} */
    this.names = new Map();
    this.near = new IntersectionObserver((seen) => {
      for (const { isIntersecting, target } of seen) if (isIntersecting) this.#fill(Number(target.getAttribute("data-chunk")));
    }, { rootMargin: "50% 0px" });
    this.list = html("ol", { class: "log", "aria-live": "off" });
    this.news = html("p", { class: "visually-hidden", role: "log", "aria-live": "polite" });
    this.filter = html("select", { "aria-label": "Show what concerns", onchange: () => this.#choose() });
    patch(place, html("div", { class: "log-head row" }, this.filter), this.above, this.news, this.list);
  }

  /** Forget every entry: another line of play is shown. */
  clear() {
    this.near.disconnect();
    this.drawn = [];
    this.gaps = [];
    this.marked = undefined;
    this.list.replaceChildren();
  }

  /** Scroll to the marked entry again: a list that was hidden had no height. */
  reveal() {
    if (this.marked) this.#reach(this.marked);
  }

  /** Offer creatures to filter by. @param {Iterable<{id: string, name: string}>} creatures */
  creatures(creatures) {
    const kept = this.filter.value;
    this.names = namesOf(creatures);
    patch(this.filter, html("option", { key: "", value: "" }, "Everything"),
      [...this.names].map(([id, name]) => html("option", { key: id, value: id, selected: id === kept }, name)));
  }

  /** Draw what is new in the record. @param {FightRecord} record @param {boolean} isLive read it aloud, too */
  draw(record, isLive) {
    this.record = record;
    for (let chunk = 0; chunk < record.chunks; chunk += 1) {
      const [first, last] = record.within(chunk);
      if (this.gaps[chunk] === undefined) {
        this.gaps[chunk] = null;
        if (!record.has(first) || chunk < record.chunks - 1) this.#leave(chunk, first, last);
      }
      if (this.gaps[chunk]?.isWanted && record.has(first)) this.#fill(chunk);
      if (this.gaps[chunk] === null) this.list.append(...this.#made(first, last, isLive));
    }
    if (this.filter.value) this.#choose();
  }

  /** Mark commit *n*, and scroll the log to it. @param {number} n */
  mark(n) {
    this.marked?.removeAttribute("aria-current");
    this.marked = this.drawn[n - 1]?.node;
    if (!this.marked) {
      if (this.record?.chunks) this.#fill(this.record.chunkOf(n));
      this.marked = this.drawn[n - 1]?.node;
    }
    if (!this.marked) return;
    this.marked.setAttribute("aria-current", "true");
    this.#reach(this.marked);
  }

  /** Leave a gap in the place of a chunk. @param {number} chunk @param {number} first @param {number} last */
  #leave(chunk, first, last) {
    const gap = html("li", { class: "gap soft small", "data-chunk": chunk }, `Commits ${first} to ${last}`);
    gap.style.height = `${4 * (last - first + 1)}rem`;
    this.gaps[chunk] = gap;
    this.list.append(gap);
    this.near.observe(gap);
  }

  /** Draw the entries of a chunk in the place of its gap, once they are read. @param {number} chunk */
  #fill(chunk) {
    const gap = this.gaps[chunk];
    if (!gap || !this.record) return;
    const [first, last] = this.record.within(chunk);
    gap.isWanted = true;
    if (!this.record.has(first)) {
      this.on.wanted(first);
      return;
    }
    this.near.unobserve(gap);
    this.gaps[chunk] = null;
    gap.replaceWith(...this.#made(first, last, false));
    const next = this.drawn[last];
    if (next?.head && !this.#heading(last + 1)) next.head.remove();
    this.#choose();
  }

  /** Return the nodes of those entries that have none yet, in order; those that were read again replace theirs. @param {number} first @param {number} last @param {boolean} isLive */
  #made(first, last, isLive) {
    const { record } = this;
    if (!record) return [];
    const made = [];
    for (let n = first; n <= last; n += 1) {
      const entry = record.entries[n - 1], known = this.drawn[n - 1];
      if (known?.entry === entry) continue;
      const drawn = this.#entry(entry), node = known?.node ?? drawn;
      if (known) redraw(node, drawn);
      else if (isLive && entry.text.length) this.news.textContent = entry.text.join(". ");
      const head = known ? known.head : this.#heading(n);
      if (!known) made.push(...[head, node].filter(Boolean));
      this.drawn[n - 1] = { entry, node, head, fold: known?.fold };
    }
    return made;
  }

  /**
   * Show what was taken back, in sentences, under the commit from which play went on. Its first commits are read at once, the rest
   * when somebody unfolds it.
   * @param {{n: number, count: number, text: string, read: (most?: number) => Promise<string[]>}[]} folds
   */
  fold(folds) {
    for (const { n, count, text, read } of folds) {
      const drawn = this.drawn[n - 1];
      if (!drawn || drawn.fold) continue;
      const title = html("summary", {}, `Taken back: ${text}`), said = html("ul");
      const list = (/** @type {string[]} */ lost) => patch(said, lost.map((each) => html("li", {}, each)));
      const opened = async (/** @type {{currentTarget: HTMLDetailsElement}} */ event) => {
        if (event.currentTarget.open && !said.childElementCount) list(await read());
      };
      /** @type {HTMLElement} */
      const fold = html("li", { class: "fold" }, html("details", { ontoggle: opened }, title, said));
      drawn.fold = fold;
      drawn.node.after(fold);
      read(FIRST_LOST).then((lost) => {
        const [first, ...more] = lost, isAll = count <= FIRST_LOST;
        if (first) say(title, `Taken back: ${first}${!isAll ? ", and more" : more.length ? `, and ${more.length} more` : ""}`);
        if (isAll) list(lost);
      }, () => {}); // the line is still read from the timeline
    }
  }

  /** Return a heading above commit *n*, if another round or part of one begins with it. @param {number} n */
  #heading(n) {
    const scene = this.record?.scenes[n - 1], before = this.record?.scenes[n - 2];
    if (!scene?.round || (scene.round === before?.round && scene.part === before.part)) return undefined;
    return html("li", { class: "round" }, html("h3", {}, [`Round ${scene.round}`, words(scene.part)].filter(Boolean).join(" · ")));
  }

  /** Scroll to an entry that is not in sight. @param {HTMLElement} node */
  #reach(node) {
    const { top, bottom } = node.getBoundingClientRect();
    const frame = this.list.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) this.list.scrollTop += top - frame.top - frame.height / 2 + (bottom - top) / 2;
  }

  /** Return the place beneath commit *n*, for what is said about it. @param {number} n @returns {HTMLElement | null} */
  beneath(n) {
    return this.drawn[n - 1]?.node.querySelector(".beneath") ?? null;
  }

  /** Show what concerns the chosen creature: all of the record is read for it. */
  #choose() {
    const { value } = this.filter;
    for (const { entry, node } of this.drawn.filter(Boolean)) node.hidden = value !== "" && !entry.named.has(value);
    if (!value || !this.record) return;
    const left = this.gaps.findIndex(Boolean);
    if (left >= 0 && this.record.has(this.record.within(left)[0])) this.#fill(left);
    else if (left >= 0) this.on.all();
  }

  /** @param {Entry} entry */
  #entry(entry) {
    const { n, commit, text, rolls, sealed } = entry;
    const beneath = html("div", { class: "beneath", own: true });
    const { contest } = this.on;
    const why = (/** @type {import("../shared/dom.mjs").Of} */ event) => this.on.why?.(n, event.currentTarget.closest(".entry").querySelector(".beneath"));
    const refusal = commit.refusal;
    return html("li", { class: `entry is-${commit.outcome}`, "data-n": n, "aria-current": this.drawn[n - 1]?.node === this.marked && this.marked ? "true" : null },
      html("div", { class: "entry-head" },
        button(`#${n}`, () => this.on.shown(n), { class: "number", title: `Show the map after commit ${n}` }),
        KEPT[commit.outcome] && html("span", { class: "chip fault" }, KEPT[commit.outcome]),
        [...new Set(sealed)].map((seats) => html("span", { class: "chip sealed", title: "It is in an envelope in the record, and opens at its moment" },
          html("span", { "aria-hidden": "true" }, "▣ "), `sealed: only ${seats} may read it yet`)),
        html("span", { class: "entry-tools" },
          this.on.why && button("Why?", why, { class: "quiet", "aria-label": `Why? Explain commit ${n}` }),
          contest && button("Contest", () => contest(n), { class: "quiet", "aria-label": `Contest commit ${n}` }))),
      text.map(sentence),
      refusal && html("p", { class: "fault" }, `${refusal.detail} (${words(refusal.code)}${refusal.rule ? `, by ${refusal.rule}` : ""})`),
      rolls.map((roll) => {
        const line = rollLine(roll, this.names);
        return this.on.why ? html("div", { class: "asks-why", onclick: why }, line) : line; // by keyboard: Why? above it
      }), beneath);
  }
}

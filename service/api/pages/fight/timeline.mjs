// The timeline: go to any commit, step, play, and stay with what happens now.

import { button, html, put, say, show, svg, words } from "../shared/dom.mjs";

/** @typedef {import("./record.mjs").FightRecord} FightRecord */

const SPEEDS = [["½×", 2000], ["1×", 1000], ["2×", 500], ["4×", 250]];

/** The timeline, in an element of the page. */
export class Timeline {
  #timer = 0;

  /** @param {HTMLElement} place @param {{go: (n: number) => void, live: () => void, branch: (to: import("./branches.mjs").Branch["to"]) => void}} on */
  constructor(place, on) {
    this.on = on;
    this.n = 1;
    this.drawn = "";
    this.branched = "";
    this.last = 1;
    this.range = html("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "Commit", oninput: () => this.#go(Number(this.range.value)) });
    this.ticks = html("div", { class: "ticks" });
    this.bands = svg("svg", { class: "bands", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.branches = html("ul", { class: "branches", "aria-label": "Branches" });
    this.playing = button("▶", () => this.toggle(), { "aria-label": "Play", "aria-pressed": "false" });
    this.speed = html("select", { "aria-label": "Speed", onchange: () => this.#timer && this.#play() },
      SPEEDS.map(([text, ms]) => html("option", { value: ms, selected: ms === 1000 }, text)));
    this.count = html("output", { class: "count" });
    this.live = button("Live", () => { this.pause(); on.live(); }, { class: "live", "aria-pressed": "true" });
    show(place, html("div", { class: "row controls" },
      button("|◀", () => this.#go(1), { "aria-label": "First commit" }),
      button("◀", () => this.#go(this.n - 1), { "aria-label": "One commit back" }),
      this.playing,
      button("▶|", () => this.#go(this.n + 1), { "aria-label": "One commit on" }),
      this.speed, this.count, this.live),
    html("div", { class: "track" }, this.range, this.bands, this.ticks, this.branches));
  }

  /** Draw where the page is. @param {{n: number, last: number, isLive: boolean, isLost: boolean, isOver: boolean, rounds: {round: number, first: number}[],
   *  parts: {part: string, first: number, last: number}[]}} seen */
  draw({ n, last, isLive, isLost, isOver, rounds, parts }) {
    Object.assign(this, { n, last });
    put(this.range, { max: String(last) });
    if (this.range.value !== String(n)) this.range.value = String(n);
    const round = rounds.findLast(({ first }) => first <= n)?.round;
    const part = parts.find((each) => each.first <= n && n <= each.last)?.part;
    const where = [round && `round ${round}`, part && words(part)].filter(Boolean).join(", ");
    put(this.range, { "aria-valuetext": `commit ${n} of ${last}${where && `, ${where}`}` });
    say(this.count, `${n} / ${last}`);
    const behind = last - n;
    say(this.live, isOver ? "End" : isLost ? "Not live" : isLive ? "● Live" : behind ? `Live +${behind}` : "Live");
    put(this.live, { "aria-pressed": String(isLive) });
    const drawn = [last, rounds.length, parts.length, parts.at(-1)?.last].join();
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    const kinds = [...new Set(parts.map((each) => each.part))];
    this.bands.setAttribute("viewBox", `1 0 ${Math.max(1, last - 1)} 1`);
    show(this.bands, parts.map((each) => svg("rect", { class: `band band-${kinds.indexOf(each.part) % 2}`, x: each.first - 0.5, width: each.last - each.first + 1, height: 1 },
      svg("title", {}, `${words(each.part)}: commits ${each.first} to ${each.last}`))));
    const step = Math.max(1, Math.ceil(rounds.length / 12));
    show(this.ticks, rounds.filter((each, index) => index % step === 0).map(({ round, first }) => {
      const tick = button(String(round), () => this.#go(first), { class: "tick", "aria-label": `Round ${round}` });
      tick.style.left = `${last > 1 ? ((first - 1) / (last - 1)) * 100 : 0}%`;
      return tick;
    }));
  }

  /** Draw what continues from commits of this line, and where it comes from. @param {import("./branches.mjs").Branch[]} branches @param {number} last */
  drawBranches(branches, last) {
    const drawn = JSON.stringify([last, branches]);
    if (this.branched === drawn) return;
    this.branched = drawn;
    show(this.branches, branches.map(({ n, text, to }) => {
      const stem = html("span", { class: "stem", "aria-hidden": "true" });
      stem.style.flexBasis = `${last > 1 ? ((n - 1) / (last - 1)) * 100 : 0}%`;
      return html("li", { class: "branch" }, stem, button(text, () => this.on.branch(to), { class: "quiet" }));
    }));
  }

  /** Play on, or stop. */
  toggle() {
    if (this.#timer) this.pause();
    else {
      if (this.n >= this.last) this.on.go(1);
      this.#play();
    }
  }

  /** Stop playing. */
  pause() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.playing.textContent = "▶";
    this.playing.setAttribute("aria-label", "Play");
    this.playing.setAttribute("aria-pressed", "false");
  }

  /** Go by a key: space plays, arrows step, home and end go to the ends. @param {KeyboardEvent} event @returns {boolean} whether it was for it */
  key(event) {
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -1, ArrowRight: 1, ",": -1, ".": 1 };
    if (event.key === " ") this.toggle();
    else if (steps[event.key]) this.#go(this.n + steps[event.key]);
    else if (event.key === "Home") this.#go(1);
    else if (event.key === "End") this.on.live();
    else return false;
    return true;
  }

  /** @param {number} n */
  #go(n) {
    this.pause();
    this.on.go(Math.max(1, Math.min(this.last, n)));
  }

  #play() {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => (this.n < this.last ? this.on.go(this.n + 1) : this.pause()), Number(this.speed.value));
    this.playing.textContent = "❚❚";
    this.playing.setAttribute("aria-label", "Stop");
    this.playing.setAttribute("aria-pressed", "true");
  }
}

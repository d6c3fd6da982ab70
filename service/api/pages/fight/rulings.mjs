// Contests and what the gm answers, undo and redo: each is a proposal that is compared before it is accepted.

import { button, html, show, words } from "../shared/dom.mjs";
import { isPlayed } from "./branches.mjs";
import { choiceField } from "./fields.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */
/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */

const SAID = { open: "open", upheld: "it stays as it was", effects: "answered with effects", as_ruled: "decided again" };

/** @param {any} fault */
const faultLine = (fault) => html("p", { class: "fault", role: "alert" }, fault.detail ?? fault.message ?? String(fault));

/** Return what differs between two creatures, in words. @param {Json} now @param {Json} then */
const differences = (now, then) => [
  now.hp !== then.hp && `${now.hp ?? "?"} → ${then.hp ?? "?"} hit points`,
  String(now.position) !== String(then.position) && `at ${now.position.join(", ")} → ${then.position.join(", ")}`,
  now.status !== then.status && `${now.status} → ${then.status}`,
].filter(Boolean);

/** The panel of rulings, in an element of the page. */
export class Rulings {
  /**
   * @param {HTMLElement} place @param {Encounter} encounter
   * @param {{changed: () => void, shown: (n: number, line: string) => void, compare: (pairs: [Json, Json][]) => void, visit: (line: string) => void}} on
   */
  constructor(place, encounter, on) {
    this.place = place;
    this.encounter = encounter;
    this.on = on;
    this.seen = null;
    this.contests = [];
    /** @type {Json[]} the lines of play */
    this.lines = [];
    this.proposal = null;
  }

  /**
   * Draw contests and the open proposal.
   * @param {{isGm: boolean, n: number, last: number, tokens: Map<string, Json>}} seen @param {boolean} [isOpen] whether the panel is looked at
   */
  draw(seen, isOpen = true) {
    this.seen = seen;
    if (!isOpen) return;
    if (this.place.querySelector("form")) return; // a person writes: what comes meanwhile is drawn afterwards
    show(this.place,
      this.proposal ? this.#proposed() : null,
      this.contests.length ? this.contests.toReversed().map((each) => this.#contest(each)) : html("p", { class: "soft" },
        "No contests. Contest beside a commit in the log says that something went wrong with it."),
      seen.isGm && !this.proposal ? html("div", { class: "card" }, html("h3", {}, "Go back"),
        html("p", { class: "soft small" }, "An undo goes on from an earlier commit, with the same dice. It is compared before it is accepted."),
        html("div", { class: "row" },
          button(`Undo what came after #${seen.n}`, () => this.#propose("undo", { to: seen.n, preview: true }), { disabled: seen.n >= seen.last, class: "undo" }),
          button("Redo", () => this.#propose("redo", { preview: true })))) : null);
  }

  /** Read contests again. */
  async refresh() {
    this.contests = await this.encounter.contests();
    if (this.seen) this.draw(this.seen);
  }

  /** Ask in *place* what is wrong with commit *n*, and contest it. @param {number} n @param {HTMLElement} place */
  ask(n, place) {
    const claim = html("textarea", { rows: 2, required: true, id: `claim-${n}`, maxlength: 2000 });
    const form = html("form", { class: "why" }, html("label", { for: claim.id }, `What is wrong with commit ${n}?`), claim,
      html("div", { class: "row" }, button("Contest it", () => {}, { type: "submit", class: "main" }), button("Leave it", () => place.replaceChildren())));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        const { contest } = await this.encounter.contest({ commit: n, claim: claim.value });
        show(place, html("p", { class: "soft", role: "status" }, `Contested as ${contest}: the gm answers it under Rulings.`));
        await this.refresh();
      } catch (fault) {
        form.append(faultLine(fault));
      }
    });
    show(place, form);
    claim.focus();
  }

  #contest(each) {
    const { isGm } = this.seen;
    const isUndone = each.status === "open" && !isPlayed(this.lines, each.line, each.commit);
    const forms = html("div");
    return html("article", { class: "card contest", "data-contest": each.contest },
      html("h3", {}, `${each.seat} contests `, button(`#${each.commit}`, () => this.on.shown(each.commit, each.line), { class: "number" }),
        html("span", { class: "chip" }, isUndone ? "undone: play went back to before it" : SAID[each.status])),
      html("p", {}, each.claim),
      each.decision && html("p", {}, html("b", {}, "The gm: "), each.decision, each.reason && html("span", { class: "soft" }, ` (${each.reason})`)),
      isGm && each.status === "open" && !isUndone ? button("Answer", () => this.#answer(each, forms), { class: "main" }) : null, forms);
  }

  async #answer(contest, place) {
    const ending = (value, text, checked = false) => html("label", {}, html("input", { type: "radio", name: "ending", value, checked, onchange: () => choose() }), html("span", {}, text));
    const decision = html("textarea", { id: "decision", rows: 2, required: true, maxlength: 2000 });
    const reason = html("input", { id: "reason", maxlength: 2000 });
    const instead = html("div", { class: "instead" });
    let command = null;
    const choose = () => {
      instead.hidden = form.elements.ending.value !== "as_ruled";
    };
    const form = html("form", {}, html("fieldset", {}, html("legend", {}, "How it goes on"),
      ending("upheld", "It was right, and stays", true),
      ending("as_ruled", "Decide it again from there, with the same dice"),
      ending("undo", `Go back to before commit ${contest.commit}, and play on from there`)),
    instead,
    html("div", { class: "field" }, html("label", { for: "decision" }, "The decision, for the record"), decision),
    html("div", { class: "field" }, html("label", { for: "reason" }, "The reason"), reason),
    html("div", { class: "row" }, button("Rule", () => {}, { type: "submit", class: "main" }), button("Back", () => { form.remove(); this.draw(this.seen); })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#rule(contest, form, { decision: decision.value, reason: reason.value, command });
    });
    show(place, form);
    choose();
    decision.focus();
    await this.#replacements(contest, instead, (chosen) => { command = chosen; });
  }

  /** Offer the commands that the gm could have sent in place of the contested one. */
  async #replacements(contest, place, chosen) {
    const { options } = await this.encounter.options({ at: contest.commit - 1, line: contest.line }).catch(() => ({ options: [] }));
    const offers = options.flatMap(({ commands }) => commands).filter((offer) => !offer.asks);
    const fields = html("div");
    const pick = html("select", { id: "instead", onchange: () => {
      const offer = offers[Number(pick.value)];
      if (!offer) { show(fields); chosen(null); return; }
      const made = Object.entries(offer.choices).map(([name, choice]) => choiceField(name, choice, this.seen.tokens, () => report()));
      const report = () => chosen({ ...offer.command, ...Object.fromEntries(made.map((field) => [field.name, field.value() ?? offer.command[field.name]])), by: "gm" });
      show(fields, made.map((field) => field.node));
      report();
    } }, html("option", { value: -1 }, "nothing: the contested command is left out"),
    offers.map(({ command }, index) => html("option", { value: index }, `${this.seen.tokens.get(command.creature)?.name ?? "the table"}: ${words(command.type)}`)));
    show(place, html("div", { class: "field" }, html("label", { for: "instead" }, "In its place"), pick), fields);
  }

  async #rule(contest, form, { decision, reason, command }) {
    const ending = form.elements.ending.value;
    try {
      if (ending === "undo") {
        form.remove();
        await this.#propose("undo", { to: contest.commit - 1, ...this.#elsewhere(contest), preview: true, reason: reason || decision });
        return;
      }
      const given = ending === "as_ruled" ? { instead: command === null ? [] : [command] } : {};
      const ruled = await this.encounter.rule(contest.contest, { ending, decision, reason, ...given });
      form.remove();
      if (ruled.amendment) await this.#compare(ruled.amendment);
      await this.refresh();
    } catch (fault) {
      form.append(faultLine(fault));
    }
  }

  /** Return the line of a contest, if it is another one than is played. @param {Json} contest */
  #elsewhere({ line }) {
    return this.lines.some((each) => each.line === line && each.status !== "played") ? { line } : {};
  }

  async #propose(kind, data) {
    try {
      const { amendment } = await this.encounter[kind](data);
      await this.#compare(amendment);
    } catch (fault) {
      this.draw(this.seen);
      this.place.prepend(faultLine(fault));
    }
  }

  /** Read a proposal until it is decided, and show what would differ. @param {string} id */
  async #compare(id) {
    let proposal = await this.encounter.amendment(id);
    for (let tries = 0; proposal.status === "deciding" && tries < 20; tries += 1) proposal = await this.encounter.amendment(id);
    const { client, path } = this.encounter;
    const [now, then] = await Promise.all([client.get(`${path}/creatures`), client.get(`${path}/creatures`, { line: proposal.line })]);
    const before = new Map(now.creatures.map((each) => [each.id, each]));
    const pairs = then.creatures.filter((each) => before.has(each.id)).map((each) => [before.get(each.id), each]);
    this.proposal = { ...proposal, pairs: pairs.filter(([a, b]) => differences(a, b).length) };
    this.on.compare(this.proposal.pairs);
    this.draw(this.seen);
    this.place.querySelector(".accept")?.focus();
  }

  #proposed() {
    const { kind, status, difference, pairs, line, version, amendment } = this.proposal;
    const said = ({ type, seat, outcome, old, refusal }) => html("li", {},
      `${seat}: ${type === null ? "something sealed" : words(type)} · ${outcome}${old ? ` (was #${old})` : ""}`, refusal && html("span", { class: "fault" }, ` ${refusal.detail ?? words(refusal.code)}`));
    const part = (title, items) => (items.length ? [html("h4", {}, title), html("ul", {}, items)] : null);
    return html("article", { class: "card proposal", "aria-live": "polite" }, html("h3", {}, `Proposed: ${words(kind)}`),
      status !== "ready" ? html("p", { class: "fault" }, `It cannot be accepted: ${status}.`) : html("p", {}, "Nothing has changed yet. This is what would differ:"),
      part("Creatures", pairs.map(([a, b]) => html("li", {}, html("b", {}, b.name), `: ${differences(a, b).join("; ")}`))),
      difference && [part("Decided again", difference.commands.map(said)), part("Refused there", difference.gone.map(said)),
        part("Not repeated", difference.left.length ? [html("li", {}, difference.left.map((n) => `#${n}`).join(", "))] : [])],
      html("div", { class: "row" },
        button("Accept", () => this.#end(() => this.encounter.accept(amendment, version)), { class: "main accept", disabled: status !== "ready" }),
        button("Look at it", () => this.on.visit(line)),
        button("Drop it", () => this.#end(() => this.encounter.drop(amendment)))));
  }

  async #end(act) {
    try {
      await act();
      this.proposal = null;
      this.on.compare([]);
      await this.refresh();
      this.on.changed();
    } catch (fault) {
      this.place.prepend(faultLine(fault));
    }
  }
}

// Contests and what the gm answers, undo and redo. What takes something back says it in sentences first.

import { confirmed } from "../shared/ask.mjs";
import { button, capital, faultText, html, patch, say, words } from "../shared/dom.mjs";
import { isPlayed } from "./branches.mjs";
import { ChoiceField } from "./fields.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("../client/contract.mjs").CreatureToken} Token */
/** @typedef {import("../client/contract.mjs").Contest} Contest */
/** @typedef {import("../client/contract.mjs").Amendment} Amendment */
/** @typedef {NonNullable<Amendment["difference"]>} Difference */
/** @typedef {import("../client/contract.mjs").ContestRuling} Ruling */
/** @typedef {import("../client/contract.mjs").Lines["lines"]} Lines */
/** @typedef {import("./act.mjs").Offer} Offer */
/** @typedef {Amendment & {pairs: [Token, Token][]}} Proposal with the creatures that would differ, as they are and as they would be */
/** @typedef {{isGm: boolean, mayRedo: boolean, isOver: boolean, n: number, last: number, tokens: import("./record.mjs").Tokens, names: Map<string, string>}} Seen */
/** @typedef {{n: number, claim: string, said: string, isFault: boolean, isSent: boolean}} Contesting a contest that is written */
/**
 * @typedef {object} Answer an answer that is written
 * @property {string} ending
 * @property {string} decision
 * @property {string} reason
 * @property {Json | null} ruling the schema of a ruling
 * @property {Json} data what makes up for it
 * @property {Offer[]} offers what could have been sent in place of the contested command
 * @property {number} instead the offer that is chosen, -1 for none
 * @property {Json} values what is chosen in it
 * @property {Map<string, string>} faults
 * @property {string} [fault]
 */
/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */

/** @type {Record<string, string>} */
const SAID = { open: "open", upheld: "it stays as it was", effects: "answered with effects", as_ruled: "decided again" };
const TRIES = 20;
const ASIDE = /^\/(amendment|contests|seats)(\/|$)/; // what an accepted proposal takes over
const MOST_LOST = 12; // sentences of what is lost that are shown

/** Return what differs between two creatures, in words. @param {Token} now @param {Token} then */
const differences = (now, then) => [
  now.hp !== then.hp && `${now.hp ?? "?"} → ${then.hp ?? "?"} hit points`,
  String(now.position) !== String(then.position) && `at ${now.position.join(", ")} → ${then.position.join(", ")}`,
  now.status !== then.status && `${now.status} → ${then.status}`,
].filter(Boolean);

/** Return what an undo at the commit on screen takes back. @param {Seen} seen */
const undoOf = ({ n, last }) => (n < last ? `Undo what came after #${n}` : "Undo the last act");

/** The panel of rulings, in an element of the page. */
export class Rulings {
  /**
   * @param {HTMLElement} place @param {Encounter} encounter
   * @param {{shown: (n: number, line: string) => void, compare: (pairs: [Token, Token][]) => void, visit: (line: string) => void, failed: () => void, type: (name: string) => Promise<{schema: Json} | null>,
   *  said: (n: number) => string[], lost: (to: number) => string[], beforeLast: () => number, above: HTMLElement, form: () => Partial<import("../shared/form.mjs").Form>}} on `said`: sentences of a commit,
   *  `lost`: of what came after it; `beforeLast`: the commit before the last act; `failed`: shows this panel, which says why
   */
  constructor(place, encounter, on) {
    this.place = place;
    this.encounter = encounter;
    this.on = on;
    /** @type {Seen | null} */
    this.seen = null;
    /** @type {Contest[]} */
    this.contests = [];
    /** @type {Lines} the lines of play */
    this.lines = [];
    /** @type {Proposal | null} */
    this.proposal = null;
    /** @type {typeof import("../shared/form.mjs") | null} loaded with the first answer */
    this.forms = null;
    this.fault = "";
    /** @type {Map<string, Answer>} the answer that is written to each contest */
    this.answers = new Map();
    /** @type {Contesting | null} the contest that is written */
    this.contesting = null;
  }

  /** How many contests wait for the gm. */
  get waiting() {
    return this.contests.filter((each) => each.status === "open" && isPlayed(this.lines, each.line, each.commit)).length;
  }

  /** Draw contests and the open proposal. @param {Seen} seen */
  draw(seen) {
    this.seen = seen;
    this.#render();
  }

  /** Go with the commit on screen: one button names it. @param {number} n */
  go(n) {
    if (!this.seen || this.seen.n === n) return;
    this.seen.n = n;
    const undo = this.place.querySelector(".undo");
    if (undo) say(undo, undoOf(this.seen));
  }

  /** Ask above the log what is wrong with commit *n*, and contest it. @param {number} n */
  ask(n) {
    this.contesting = { n, claim: this.contesting?.isSent ? "" : this.contesting?.claim ?? "", said: "", isFault: false, isSent: false };
    this.#compose();
    this.on.above.querySelector("textarea")?.focus();
  }

  #compose() {
    const { contesting } = this;
    if (!contesting) {
      patch(this.on.above);
      return;
    }
    const { n, claim, said, isFault, isSent } = contesting;
    const leave = () => { this.contesting = null; this.#compose(); };
    const told = html("p", { class: isFault ? "fault" : "soft", role: isFault ? "alert" : "status", key: "said" }, said);
    if (isSent) patch(this.on.above, html("div", { class: "why" }, told, button("Good", leave)));
    else patch(this.on.above, html("form", { class: "why", key: "form", onsubmit: (event) => { event.preventDefault(); this.#contested(contesting); } },
      html("label", { for: "claim" }, `What is wrong with commit ${n}?`), html("p", { class: "soft small", key: "about" }, this.on.said(n).join(". ")),
      html("textarea", { id: "claim", rows: 2, required: true, maxlength: 2000, oninput: (event) => { contesting.claim = event.target.value; } }, claim),
      said && told, html("div", { class: "row" }, html("button", { type: "submit", class: "main" }, "Contest it"), button("Leave it", leave))));
  }

  /** Send a contest. @param {Contesting} contesting */
  async #contested({ n, claim }) {
    try {
      const { contest } = await this.encounter.contest({ commit: n, claim });
      this.contesting = { n, claim, said: `Contested as ${contest}: the gm answers it under Rulings.`, isFault: false, isSent: true };
    } catch (fault) {
      this.contesting = { n, claim, said: capital(faultText(fault)), isFault: true, isSent: false };
    }
    this.#compose();
    await this.refresh();
  }

  /** Read contests again. */
  async refresh() {
    this.contests = await this.encounter.contests();
    if (this.seen) this.#render();
  }

  #render() {
    const { seen, proposal } = this;
    if (!seen) return;
    const isWaiting = (/** @type {Contest} */ { status }) => status === "open";
    const newestFirst = this.contests.toReversed();
    patch(this.place,
      this.fault && html("p", { class: "fault", role: "alert", key: "fault" }, this.fault),
      proposal && this.#proposed(proposal),
      newestFirst.filter(isWaiting).map((each) => this.#contest(each, seen)),
      seen.isGm && !seen.isOver && !proposal ? html("div", { class: "card back", key: "back" }, html("h3", {}, "Go back"),
        html("p", { class: "soft small" }, "An undo takes back what came last, with the same dice when it comes again. It says first what is lost, and can be undone itself."),
        html("div", { class: "row" },
          button(undoOf(seen), () => this.undo(seen.n < seen.last ? seen.n : this.on.beforeLast()), { disabled: seen.last < 2, class: "undo" }),
          button("Redo", () => this.redo(), { class: "redo", disabled: !seen.mayRedo }))) : null,
      this.contests.length ? newestFirst.filter((each) => !isWaiting(each)).map((each) => this.#contest(each, seen)) : html("p", { class: "soft", key: "none" },
        "No contests. Contest beside a commit in the log says that something went wrong with it."));
  }

  /** Take back what came after a commit, once somebody has read what that is. @param {number} to */
  async undo(to) {
    const lost = this.on.lost(to);
    const more = lost.length - MOST_LOST;
    const isSure = await confirmed("Take this back?", [html("ul", {}, lost.slice(0, MOST_LOST).map((text) => html("li", {}, text))), more > 0 && html("p", {}, `And ${more} more.`),
      html("p", { class: "soft small" }, "It stays in the record. Redo brings it back.")], "Take it back");
    if (isSure) await this.#do(() => this.encounter.undo({ to }));
  }

  /** Bring back what the last undo took back. */
  async redo() {
    if (await confirmed("Bring it back?", "What the last undo took back happens again, and what came after the undo is taken back.", "Bring it back")) await this.#do(() => this.encounter.redo());
  }

  /** Do what a click asks, and say what went wrong. @param {() => Promise<unknown>} act */
  async #do(act) {
    this.fault = "";
    try {
      await act();
    } catch (fault) {
      this.fault = capital(faultText(fault));
      this.on.failed();
    }
    await this.refresh();
  }

  /** @param {Contest} each @param {Seen} seen */
  #contest(each, seen) {
    const { isGm } = seen;
    const answer = this.answers.get(each.contest);
    const isHere = isPlayed(this.lines, each.line, each.commit); // else its number is another commit's by now
    const isUndone = each.status === "open" && !isHere;
    return html("article", { class: "card contest", key: each.contest, "data-contest": each.contest },
      html("h3", {}, `${each.seat} contests `, button(`#${each.commit}`, () => this.on.shown(each.commit, each.line), { class: "number" }),
        html("span", { class: "chip" }, isUndone ? "undone: play went back to before it" : SAID[each.status])),
      isHere && html("p", { class: "soft small contested" }, this.on.said(each.commit).join(". ")),
      html("p", {}, each.claim),
      each.decision && html("p", {}, html("b", {}, "The gm: "), each.decision, each.reason && html("span", { class: "soft" }, ` (${each.reason})`)),
      isGm && each.status === "open" && !isUndone ? (answer ? this.#answer(each, answer, seen) : button("Answer", () => this.#begin(each), { class: "main" })) : null);
  }

  /** Begin an answer. @param {Contest} contest */
  async #begin(contest) {
    this.forms = await import("../shared/form.mjs");
    const [ruling, { options }] = await Promise.all([this.on.type("gm_ruling"), this.encounter.options({ at: contest.commit - 1, line: contest.line, text: "en" }).catch(() => ({ options: [] }))]);
    const offers = options.flatMap(({ commands }) => /** @type {Offer[]} */ (commands)).filter((offer) => !offer.asks);
    const kinds = ruling && this.forms.resolved(ruling.schema.properties.kind ?? {}, ruling.schema).enum; // what it makes up for is a correction
    this.answers.set(contest.contest, { ending: "upheld", decision: "", reason: "", ruling: ruling?.schema ?? null, data: { effects: [], ...(kinds?.includes("correction") ? { kind: "correction" } : {}) }, offers, instead: -1, values: {}, faults: new Map() });
    this.#render();
    /** @type {any} */ (this.place.querySelector(`[data-contest="${contest.contest}"] input[type=radio]`))?.focus(); // the first thing to decide
  }

  /** Draw the form with which the gm answers. @param {Contest} contest @param {Answer} answer @param {Seen} seen */
  #answer(contest, answer, seen) {
    const { forms } = this;
    const now = () => this.answers.get(contest.contest) ?? answer;
    const change = (/** @type {Partial<Answer>} */ part) => {
      this.answers.set(contest.contest, { ...now(), ...part });
      this.#render();
    };
    const ending = (/** @type {string} */ value, /** @type {string} */ text) => html("label", { key: value }, html("input", { type: "radio", name: `ending-${contest.contest}`, value, checked: answer.ending === value, onchange: () => change({ ending: value }) }), html("span", {}, text));
    const { ruling } = answer;
    /** @type {import("../shared/form.mjs").Form} */
    const form = { ...this.on.form(), root: ruling ?? {}, id: `effects-${contest.contest}`, faults: answer.faults, set: (path, value) => change({ data: forms?.withPart(now().data, path, value) ?? now().data }) };
    const kind = ruling?.properties.kind;
    return html("form", { class: "answer", key: "answer", onsubmit: (event) => {
      event.preventDefault();
      this.#rule(contest);
    } }, html("fieldset", {}, html("legend", {}, "How it goes on"),
      ending("upheld", "It was right, and stays"),
      ruling && ending("effects", "It stays, and something makes up for it from now on"),
      ending("as_ruled", "Decide it again from there, with the same dice"),
      ending("undo", `Go back to before commit ${contest.commit}, and play on from there`)),
    answer.ending === "effects" && forms && ruling && [kind && forms.fieldOf(form, kind, answer.data.kind, ["kind"]), forms.fieldOf(form, ruling.properties.effects, answer.data.effects, ["effects"])],
    answer.ending === "as_ruled" && this.#instead(answer, change, seen),
    html("div", { class: "field", key: "decision" }, html("label", { for: "decision" }, "The decision, for the record"),
      html("textarea", { id: "decision", rows: 2, required: true, maxlength: 2000, oninput: (event) => change({ decision: event.target.value }) }, answer.decision)),
    html("div", { class: "field", key: "reason" }, html("label", { for: "reason" }, "The reason"),
      html("input", { id: "reason", maxlength: 2000, value: answer.reason, oninput: (event) => change({ reason: event.target.value }) })),
    answer.fault && html("p", { class: "fault", role: "alert" }, answer.fault),
    html("div", { class: "row" }, html("button", { type: "submit", class: "main" }, "Rule"), button("Back", () => { this.answers.delete(contest.contest); this.#render(); })));
  }

  /** Draw the commands that the gm could have sent in place of the contested one. @param {Answer} answer @param {(part: Partial<Answer>) => void} change @param {Seen} seen */
  #instead(answer, change, { tokens }) {
    const offer = answer.offers[answer.instead];
    const fields = offer ? Object.entries(offer.choices).map(([name, choice]) => new ChoiceField(name, choice, tokens)) : [];
    return html("div", { class: "instead", key: "instead" }, html("div", { class: "field" }, html("label", { for: "instead" }, "In its place"),
      html("select", { id: "instead", onchange: (event) => change({ instead: Number(event.target.value), values: {} }) },
        html("option", { value: -1, selected: !offer }, "nothing: the contested command is left out"),
        answer.offers.map(({ command, text }, index) => html("option", { key: index, value: index, selected: index === answer.instead }, `${tokens.get(command.creature)?.name ?? "the table"}: ${text ?? words(command.type)}`)))),
    fields.map((field) => field.draw(answer.values[field.name] ?? field.first, (value) => change({ values: { ...answer.values, [field.name]: value } }))));
  }

  /** Send an answer. @param {Contest} contest */
  async #rule(contest) {
    const answer = this.answers.get(contest.contest);
    if (!answer) return;
    const { ending, decision, reason } = answer;
    try {
      if (ending === "undo") {
        this.answers.delete(contest.contest);
        await this.#propose({ to: contest.commit - 1, preview: true, reason: reason || decision });
        return;
      }
      const ruled = await this.encounter.rule(contest.contest, /** @type {Ruling} */ ({ ending, decision, reason, ...this.#details(answer) }));
      this.answers.delete(contest.contest);
      if (ruled.amendment) await this.#compare(ruled.amendment);
    } catch (fault) {
      this.answers.set(contest.contest, { ...answer, fault: capital(faultText(fault)), faults: this.forms?.faultsOf(fault) ?? new Map() });
    }
    await this.refresh();
  }

  /** Return what a ruling needs besides its words. @param {Answer} answer @returns {Json} */
  #details({ ending, data, ruling, offers, instead, values }) {
    if (ending === "effects") return { ...data, ...(ruling?.required?.includes("kind") && !data.kind ? { kind: ruling.properties.kind.enum?.at(-1) } : {}) };
    if (ending !== "as_ruled") return {};
    const offer = offers[instead];
    return { instead: offer ? [{ ...offer.command, ...values, by: "gm" }] : [] };
  }

  /** Propose an undo, and show what would differ. @param {Parameters<Encounter["undo"]>[0]} data */
  async #propose(data) {
    this.fault = "";
    try {
      const { amendment } = await this.encounter.undo(data);
      await this.#compare(amendment);
    } catch (fault) {
      this.fault = capital(faultText(fault));
      this.on.failed();
      this.#render();
    }
  }

  /** Read a proposal until it is decided, and show what would differ. @param {string} id */
  async #compare(id) {
    let proposal = await this.encounter.amendment(id);
    for (let tries = 0; proposal.status === "deciding" && tries < TRIES; tries += 1) proposal = await this.encounter.amendment(id);
    const [now, then] = await Promise.all([this.encounter.creatures(), this.encounter.creatures({ line: proposal.line })]);
    const before = new Map(now.map((each) => [each.id, each]));
    /** @type {[Token, Token][]} */
    const pairs = then.flatMap((each) => {
      const earlier = before.get(each.id);
      return earlier && differences(earlier, each).length ? [[earlier, each]] : [];
    });
    this.proposal = { ...proposal, pairs };
    this.on.compare(pairs);
    this.#render();
    /** @type {any} */ (this.place.querySelector(".accept"))?.focus();
  }

  /** @param {Proposal} proposal */
  #proposed({ kind, status, difference, pairs, line, version, amendment, commit }) {
    const said = (/** @type {Difference["commands"][number]} */ { type, seat, outcome, old, refusal }) => html("li", {},
      `${seat}: ${type === null ? "something sealed" : words(type)}${outcome === "accepted" ? "" : `, ${outcome}`}${old ? ` (was #${old})` : ""}`, refusal && html("span", { class: "fault" }, `: ${refusal.detail ?? words(refusal.code)}`));
    const part = (/** @type {string} */ title, /** @type {any[]} */ items) => (items.length ? [html("h4", {}, title), html("ul", {}, items)] : null);
    const again = difference?.commands.filter(({ outcome }) => outcome !== "refused") ?? [];
    const left = difference?.left.filter((n) => kind !== "as_ruled" || n !== commit) ?? [];
    const isSame = difference && !pairs.length && !difference.gone.length && !left.length && again.every(({ outcome }) => outcome === "accepted") && difference.patch.every(({ path }) => ASIDE.test(path));
    return html("article", { class: "card proposal", key: "proposal", "aria-live": "polite" }, html("h3", {}, `Proposed: ${words(kind)}`),
      status !== "ready" ? html("p", { class: "fault" }, `It cannot be accepted: ${status}.`)
        : html("p", {}, isSame ? "Nothing would differ: every act comes out as it did." : "Nothing has changed yet. This is what would differ:"),
      part("Creatures", pairs.map(([a, b]) => html("li", {}, html("b", {}, b.name), `: ${differences(a, b).join("; ")}`))),
      difference && !isSame && [part("Refused there", difference.gone.map(said)),
        part("Taken back", left.flatMap((n) => this.on.said(n)).slice(0, MOST_LOST).map((text) => html("li", {}, text))),
        again.length ? html("details", {}, html("summary", {}, `Decided again: ${again.length}`), html("ul", {}, again.map(said))) : null],
      html("div", { class: "row" },
        button("Accept", () => this.#end(() => this.encounter.accept(amendment, version)), { class: "main accept", disabled: status !== "ready" }),
        button("Look at it", () => this.on.visit(line)),
        button("Drop it", () => this.#end(() => this.encounter.drop(amendment)))));
  }

  /** Accept or drop the proposal. @param {() => Promise<unknown>} act */
  async #end(act) {
    try {
      await act();
      this.proposal = null;
      this.fault = "";
      this.on.compare([]);
    } catch (fault) {
      this.fault = capital(faultText(fault));
      this.on.failed();
    }
    await this.refresh();
  }
}

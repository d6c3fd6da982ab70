// Contests and what the gm answers, undo and redo. What takes something back says it in sentences first.

import { confirmed } from "../shared/ask.mjs";
import { button, capital, html, patch, words } from "../shared/dom.mjs";
import { isPlayed } from "./branches.mjs";
import { ChoiceField } from "./fields.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */
/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */

const SAID = { open: "open", upheld: "it stays as it was", effects: "answered with effects", as_ruled: "decided again" };
const TRIES = 20;
const MOST_LOST = 12; // sentences of what is lost that are shown

/** @param {any} fault */
const textOf = (fault) => fault.detail ?? fault.message ?? String(fault);

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
   * @param {{shown: (n: number, line: string) => void, compare: (pairs: [Json, Json][]) => void, visit: (line: string) => void, type: (name: string) => Promise<Json | null>,
   *  lost: (to: number) => string[], above: HTMLElement, form: () => Partial<import("../shared/form.mjs").Form>}} on `lost`: sentences of what came after a commit
   */
  constructor(place, encounter, on) {
    this.place = place;
    this.encounter = encounter;
    this.on = on;
    this.seen = null;
    /** @type {Json[]} */
    this.contests = [];
    /** @type {Json[]} the lines of play */
    this.lines = [];
    this.proposal = null;
    this.fault = "";
    /** @type {Map<string, Json>} the answer that is written to each contest */
    this.answers = new Map();
    /** @type {{n: number, claim: string, said: string, isFault: boolean, isSent: boolean} | null} the contest that is written */
    this.contesting = null;
  }

  /** How many contests wait for the gm. */
  get waiting() {
    return this.contests.filter((each) => each.status === "open" && isPlayed(this.lines, each.line, each.commit)).length;
  }

  /** Draw contests and the open proposal. @param {{isGm: boolean, n: number, last: number, tokens: Map<string, Json>, names: Map<string, string>}} seen */
  draw(seen) {
    this.seen = seen;
    this.#render();
  }

  /** Ask above the log what is wrong with commit *n*, and contest it. @param {number} n */
  ask(n) {
    this.contesting = { n, claim: this.contesting?.isSent ? "" : this.contesting?.claim ?? "", said: "", isFault: false, isSent: false };
    this.#compose();
    this.on.above.querySelector("textarea").focus();
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
    else patch(this.on.above, html("form", { class: "why", key: "form", onsubmit: (event) => { event.preventDefault(); this.#contested(); } },
      html("label", { for: "claim" }, `What is wrong with commit ${n}?`),
      html("textarea", { id: "claim", rows: 2, required: true, maxlength: 2000, oninput: (event) => { this.contesting.claim = event.target.value; } }, claim),
      said && told, html("div", { class: "row" }, html("button", { type: "submit", class: "main" }, "Contest it"), button("Leave it", leave))));
  }

  async #contested() {
    const { n, claim } = this.contesting;
    try {
      const { contest } = await this.encounter.contest({ commit: n, claim });
      this.contesting = { n, claim, said: `Contested as ${contest}: the gm answers it under Rulings.`, isFault: false, isSent: true };
    } catch (fault) {
      this.contesting = { n, claim, said: capital(textOf(fault)), isFault: true, isSent: false };
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
    const { seen } = this;
    patch(this.place,
      this.fault && html("p", { class: "fault", role: "alert", key: "fault" }, this.fault),
      this.proposal ? this.#proposed() : null,
      seen.isGm && !this.proposal ? html("div", { class: "card back", key: "back" }, html("h3", {}, "Go back"),
        html("p", { class: "soft small" }, "An undo takes back what came last, with the same dice when it comes again. It says first what is lost, and can be undone itself."),
        html("div", { class: "row" },
          button(seen.n < seen.last ? `Undo what came after #${seen.n}` : "Undo the last act", () => this.undo(seen.n < seen.last ? seen.n : seen.last - 1), { disabled: seen.last < 2, class: "undo" }),
          button("Redo", () => this.redo(), { class: "redo" }))) : null,
      this.contests.length ? this.contests.toReversed().map((each) => this.#contest(each)) : html("p", { class: "soft", key: "none" },
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

  async #do(act) {
    this.fault = "";
    try {
      await act();
    } catch (fault) {
      this.fault = capital(textOf(fault));
    }
    await this.refresh();
  }

  #contest(each) {
    const { isGm } = this.seen;
    const isUndone = each.status === "open" && !isPlayed(this.lines, each.line, each.commit);
    return html("article", { class: "card contest", key: each.contest, "data-contest": each.contest },
      html("h3", {}, `${each.seat} contests `, button(`#${each.commit}`, () => this.on.shown(each.commit, each.line), { class: "number" }),
        html("span", { class: "chip" }, isUndone ? "undone: play went back to before it" : SAID[each.status])),
      html("p", {}, each.claim),
      each.decision && html("p", {}, html("b", {}, "The gm: "), each.decision, each.reason && html("span", { class: "soft" }, ` (${each.reason})`)),
      isGm && each.status === "open" && !isUndone ? (this.answers.has(each.contest) ? this.#answer(each) : button("Answer", () => this.#begin(each), { class: "main" })) : null);
  }

  async #begin(contest) {
    this.forms = await import("../shared/form.mjs");
    const [ruling, { options }] = await Promise.all([this.on.type("gm_ruling"), this.encounter.options({ at: contest.commit - 1, line: contest.line }).catch(() => ({ options: [] }))]);
    const offers = options.flatMap(({ commands }) => commands).filter((offer) => !offer.asks);
    this.answers.set(contest.contest, { ending: "upheld", decision: "", reason: "", ruling: ruling?.schema ?? null, data: { effects: [] }, offers, instead: -1, values: {}, faults: new Map() });
    this.#render();
    /** @type {any} */ (this.place.querySelector(`[data-contest="${contest.contest}"] textarea`))?.focus();
  }

  /** Draw the form with which the gm answers. @param {Json} contest */
  #answer(contest) {
    const answer = this.answers.get(contest.contest);
    const change = (part) => {
      this.answers.set(contest.contest, { ...this.answers.get(contest.contest), ...part });
      this.#render();
    };
    const ending = (value, text) => html("label", { key: value }, html("input", { type: "radio", name: `ending-${contest.contest}`, value, checked: answer.ending === value, onchange: () => change({ ending: value }) }), html("span", {}, text));
    const { ruling } = answer;
    const form = { ...this.on.form(), root: ruling ?? {}, id: `effects-${contest.contest}`, faults: answer.faults, set: (path, value) => change({ data: this.forms.withPart(this.answers.get(contest.contest).data, path, value) }) };
    const kind = ruling?.properties.kind;
    return html("form", { class: "answer", key: "answer", onsubmit: (event) => {
      event.preventDefault();
      this.#rule(contest);
    } }, html("fieldset", {}, html("legend", {}, "How it goes on"),
      ending("upheld", "It was right, and stays"),
      ruling && ending("effects", "It stays, and something makes up for it from now on"),
      ending("as_ruled", "Decide it again from there, with the same dice"),
      ending("undo", `Go back to before commit ${contest.commit}, and play on from there`)),
    answer.ending === "effects" && [kind && this.forms.fieldOf(form, kind, answer.data.kind, ["kind"]), this.forms.fieldOf(form, ruling.properties.effects, answer.data.effects, ["effects"])],
    answer.ending === "as_ruled" && this.#instead(contest, answer, change),
    html("div", { class: "field", key: "decision" }, html("label", { for: "decision" }, "The decision, for the record"),
      html("textarea", { id: "decision", rows: 2, required: true, maxlength: 2000, oninput: (event) => change({ decision: event.target.value }) }, answer.decision)),
    html("div", { class: "field", key: "reason" }, html("label", { for: "reason" }, "The reason"),
      html("input", { id: "reason", maxlength: 2000, value: answer.reason, oninput: (event) => change({ reason: event.target.value }) })),
    answer.fault && html("p", { class: "fault", role: "alert" }, answer.fault),
    html("div", { class: "row" }, html("button", { type: "submit", class: "main" }, "Rule"), button("Back", () => { this.answers.delete(contest.contest); this.#render(); })));
  }

  /** Draw the commands that the gm could have sent in place of the contested one. */
  #instead(contest, answer, change) {
    const { tokens } = this.seen;
    const offer = answer.offers[answer.instead];
    const fields = offer ? Object.entries(offer.choices).map(([name, choice]) => new ChoiceField(name, choice, tokens)) : [];
    return html("div", { class: "instead", key: "instead" }, html("div", { class: "field" }, html("label", { for: "instead" }, "In its place"),
      html("select", { id: "instead", onchange: (event) => change({ instead: Number(event.target.value), values: {} }) },
        html("option", { value: -1, selected: !offer }, "nothing: the contested command is left out"),
        answer.offers.map(({ command }, index) => html("option", { key: index, value: index, selected: index === answer.instead }, `${tokens.get(command.creature)?.name ?? "the table"}: ${words(command.type)}`)))),
    fields.map((field) => field.draw(answer.values[field.name] ?? field.first, (value) => change({ values: { ...this.answers.get(contest.contest).values, [field.name]: value } }))));
  }

  async #rule(contest) {
    const answer = this.answers.get(contest.contest);
    const { ending, decision, reason } = answer;
    try {
      if (ending === "undo") {
        this.answers.delete(contest.contest);
        await this.#propose("undo", { to: contest.commit - 1, preview: true, reason: reason || decision });
        return;
      }
      const ruled = await this.encounter.rule(contest.contest, { ending, decision, reason, ...this.#details(answer) });
      this.answers.delete(contest.contest);
      if (ruled.amendment) await this.#compare(ruled.amendment);
    } catch (fault) {
      this.answers.set(contest.contest, { ...answer, fault: capital(textOf(fault)), faults: this.forms.faultsOf(fault) });
    }
    await this.refresh();
  }

  /** Return what a ruling needs besides its words. @param {Json} answer */
  #details({ ending, data, ruling, offers, instead, values }) {
    if (ending === "effects") return { ...data, ...(ruling.required?.includes("kind") && !data.kind ? { kind: ruling.properties.kind.enum?.at(-1) } : {}) };
    if (ending !== "as_ruled") return {};
    const offer = offers[instead];
    return { instead: offer ? [{ ...offer.command, ...values, by: "gm" }] : [] };
  }

  async #propose(kind, data) {
    this.fault = "";
    try {
      const { amendment } = await this.encounter[kind](data);
      await this.#compare(amendment);
    } catch (fault) {
      this.fault = capital(textOf(fault));
      this.#render();
    }
  }

  /** Read a proposal until it is decided, and show what would differ. @param {string} id */
  async #compare(id) {
    let proposal = await this.encounter.amendment(id);
    for (let tries = 0; proposal.status === "deciding" && tries < TRIES; tries += 1) proposal = await this.encounter.amendment(id);
    const { client, path } = this.encounter;
    const [now, then] = await Promise.all([client.get(`${path}/creatures`), client.get(`${path}/creatures`, { line: proposal.line })]);
    const before = new Map(now.creatures.map((each) => [each.id, each]));
    const pairs = then.creatures.filter((each) => before.has(each.id)).map((each) => [before.get(each.id), each]);
    this.proposal = { ...proposal, pairs: pairs.filter(([a, b]) => differences(a, b).length) };
    this.on.compare(this.proposal.pairs);
    this.#render();
    /** @type {any} */ (this.place.querySelector(".accept"))?.focus();
  }

  #proposed() {
    const { kind, status, difference, pairs, line, version, amendment } = this.proposal;
    const said = ({ type, seat, outcome, old, refusal }) => html("li", {},
      `${seat}: ${type === null ? "something sealed" : words(type)}${outcome === "accepted" ? "" : `, ${outcome}`}${old ? ` (was #${old})` : ""}`, refusal && html("span", { class: "fault" }, `: ${refusal.detail ?? words(refusal.code)}`));
    const part = (title, items) => (items.length ? [html("h4", {}, title), html("ul", {}, items)] : null);
    const again = difference?.commands.filter(({ outcome }) => outcome !== "refused") ?? [];
    const isSame = difference && !pairs.length && !difference.gone.length && !difference.left.length && again.every(({ outcome }) => outcome === "accepted");
    return html("article", { class: "card proposal", key: "proposal", "aria-live": "polite" }, html("h3", {}, `Proposed: ${words(kind)}`),
      status !== "ready" ? html("p", { class: "fault" }, `It cannot be accepted: ${status}.`)
        : html("p", {}, isSame ? "Nothing would differ: every act comes out as it did." : "Nothing has changed yet. This is what would differ:"),
      part("Creatures", pairs.map(([a, b]) => html("li", {}, html("b", {}, b.name), `: ${differences(a, b).join("; ")}`))),
      difference && !isSame && [part("Refused there", difference.gone.map(said)),
        part("Taken back", difference.left.length ? [html("li", {}, difference.left.map((n) => `#${n}`).join(", "))] : []),
        again.length ? html("details", {}, html("summary", {}, `Decided again: ${again.length}`), html("ul", {}, again.map(said))) : null],
      html("div", { class: "row" },
        button("Accept", () => this.#end(() => this.encounter.accept(amendment, version)), { class: "main accept", disabled: status !== "ready" }),
        button("Look at it", () => this.on.visit(line)),
        button("Drop it", () => this.#end(() => this.encounter.drop(amendment)))));
  }

  async #end(act) {
    try {
      await act();
      this.proposal = null;
      this.fault = "";
      this.on.compare([]);
    } catch (fault) {
      this.fault = capital(textOf(fault));
    }
    await this.refresh();
  }
}

// Act: what this seat may do now, as the service lists it. Pick a creature, an offer, cells and targets, and send.
//
// An open form is found again among the offers that come: what anybody else does takes nothing from it.

import { button, capital, html, patch, stay, words } from "../shared/dom.mjs";
import { ChoiceField, drawDice, inWords, isHarmless, NOTHING } from "./fields.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("../client/contract.mjs").Prompt} Prompt */
/** @typedef {import("../client/contract.mjs").Option} Option */
/** @typedef {import("../client/contract.mjs").CommandTypes["commands"][number]} CommandType */
/** @typedef {{type: string, [member: string]: any}} Command */
/** @typedef {{command: Command, choices: Record<string, import("../client/contract.mjs").Choice>, asks?: string[], notes?: Record<string, string>, text?: string, gaps?: string[], passes?: boolean}} Offer of either kind */
/** @typedef {import("./record.mjs").Tokens} Tokens */
/** @typedef {{options: Option[] | null, waiting: {seat: string | null, creature: string | null}[], tokens: Tokens, letters: Map<string, string>, names: Map<string, string>, selected: string | null,
 *  isLive: boolean, seat: string, version: number, isOver: boolean, recent: string[], unprompted: import("../client/contract.mjs").UnpromptedCommand[]}} Seen `version` is the commit after which the options hold;
 *  `recent` are the last sentences of the log, and `unprompted` what a player may send without being asked */
/** @typedef {{offer: Offer, prompt: Prompt, values: Json}} Filled an offer, and what is chosen in it */
/** @typedef {Filled & {schema: Json | null, isGone: boolean}} Open a form that a person fills in */

const FEW = 3; // values of a choice that the name of an offer lists
const BESIDE = 6; // values that stand beside the name of an offer: one click sends it
const MANY = 2; // creatures for which one button passes
const NAMED_AT_ONCE = 6; // of whom such a button, and the list of who is asked, has the names
const IN_ONE = 50; // commands that one request takes
const SIDES = 4; // colours of sides, as on the map
/** @type {Prompt} what is sent without being asked answers it */
const UNASKED = { prompt: "", seat: null, creature: null, accepts: [], wants: [], optional: true };
const NAMED = new Set(["type", "creature", "prompt"]);

/** Return names in a line, of many the first ones. @param {string[]} names */
const listed = (names) => `${names.slice(0, NAMED_AT_ONCE).join(", ")}${names.length > NAMED_AT_ONCE ? ` and ${names.length - NAMED_AT_ONCE} more` : ""}`;

/** Return whether an offer can be sent as it is. @param {Offer} offer @param {Prompt} prompt */
const isComplete = ({ choices, asks = [] }, prompt) => !asks.length && !prompt.wants.length && !Object.keys(choices).length;

/** Return what is fixed in an offer, without what may be chosen. @param {Offer} offer @returns {[string, any][]} */
const fixed = ({ command, choices }) => Object.entries(command).filter(([name]) => !NAMED.has(name) && !(name in choices) && name !== "faces");

/** Return by what an offer is found again after something happened. @param {Offer} offer @param {Prompt} prompt */
const keyOf = (offer, prompt) => JSON.stringify([offer.command.type, prompt.creature, fixed(offer), Object.keys(offer.choices), offer.asks ?? []]);

/**
 * Return what sets an offer apart from *others* that have its text: the first field that none of them has with these values.
 * @param {Offer} offer @param {Offer[]} others @param {Tokens} tokens
 */
const apart = ({ choices }, others, tokens) => {
  const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
  const [, values] = Object.entries(choices).find(([name, choice]) => Array.isArray(choice) && others.every((each) => !same(each.choices[name], choice))) ?? [];
  if (!Array.isArray(values)) return "";
  const said = values.slice(0, FEW).map((value) => inWords(value, tokens)).filter((text) => text !== "none");
  return said.join(" or ") + (said.length && values.length > FEW ? " …" : "");
};

/** Return the words of an offer, with the creature that was clicked in its gap. @param {Offer} offer @param {Json} values @param {(value: any) => string} inWords_ */
const aimed = ({ text = "", gaps = [] }, values, inWords_) => {
  const names = [...gaps];
  return text.replace(/…/g, () => inWords_(values[names.shift() ?? ""] ?? "…"));
};

/** Return what an offer is called. @param {Offer} offer @param {Tokens} tokens @param {Offer[]} [beside] the offers of its prompt @param {string} [text] its words */
const named = (offer, tokens, beside = [], text = offer.text) => {
  const others = beside.filter((each) => each !== offer && each.text === offer.text);
  const said = others.length ? apart(offer, others, tokens) : "";
  return html("span", {}, text, said ? html("small", {}, ` ${said}`) : null);
};

/**
 * Return what a command does, in the words of its offer: its gaps are filled with what was chosen or written.
 * @param {Offer} offer @param {Command} command @param {(value: any) => string} inWords_
 */
const sentenceOf = ({ text, gaps = [], choices, asks = [] }, command, inWords_) => {
  const said = gaps.reduce((left, name) => left.replace("…", () => (command[name] === undefined || command[name] === null ? "" : inWords_(command[name]))), text ?? words(command.type));
  const rest = [...Object.keys(choices), ...asks].filter((name) => !gaps.includes(name) && !isHarmless(command[name]) && command[name] !== undefined && name !== "faces");
  const more = rest.map((name) => (command[name] === true ? words(name) : typeof command[name] === "string" || typeof command[name] === "number" || Array.isArray(command[name]) ? inWords_(command[name]) : "")).filter(Boolean);
  return [said.replace(/\s+/g, " ").replace(/[\s:.]+$/, ""), ...more].join(", ");
};

/** Return offers of either kind as one. @param {Option["commands"]} commands @returns {Offer[]} */
const offersOf = (commands) => /** @type {Offer[]} */ (commands);

/** Return commands that answer no prompt as offers; those that are not legal now are none. @param {Seen["unprompted"]} unprompted @returns {Offer[]} */
const unasked = (unprompted) => unprompted.filter((each) => !each.refusal).map(({ command, choices, asks, text }) => /** @type {Offer} */ ({ command, choices, asks, text }));

/** Return whether an offer is about what was picked. @param {{offer: Offer, values: Json | null}} each @returns {each is {offer: Offer, values: Json}} */
const isAbout = (each) => each.values !== null;

/** Return why something was refused. @param {{detail?: string | null, message?: string, rule?: string | null}} fault */
const said = ({ detail, message, rule }) => `${capital(detail ?? message ?? "It was refused")}${rule ? ` (${rule})` : ""}`;

/** The panel to act, in an element of the page. */
export class Act {
  /**
   * @param {HTMLElement} place
   * @param {{send: (command: Command) => Promise<{n: number}>, sendAll: (commands: Command[]) => Promise<{n: number, outcomes: Json[]}>, types: () => Promise<CommandType[]>, foreseen: (command: Command) => Promise<import("../client/contract.mjs").Preview | null>, offer: (offered: import("./fields.mjs").Offered) => void, live: () => void, clear: () => void}} on
   *   `clear` selects no creature
   */
  constructor(place, on) {
    this.on = on;
    this.place = place;
    /** @type {Open | null} */
    this.open = null;
    /** @type {{text: string, isFault: boolean, n?: number}} what was sent last, and the commit that decided it */
    this.said = { text: "", isFault: false };
    this.foreseen = { key: "", text: "", isRefused: false }; // what the command of the open form costs, and whom it provokes
    this.isSending = false;
    this.body = html("div");
    this.below = html("div"); // what belongs to the seat, not to a prompt
    /** @type {typeof import("../shared/form.mjs") | null} loaded when a person opens a form with something to write */
    this.forms = null;
    /** @type {Seen} */
    this.seen = { options: null, waiting: [], tokens: new Map(), letters: new Map(), names: new Map(), selected: null, isLive: true, seat: "", version: 0, isOver: false, recent: [], unprompted: [] };
    /** @type {Map<string, CommandType>} the types of commands */
    this.types = new Map();
    const reached = (/** @type {Event} */ { target }) => /** @type {Element} */ (target).closest("[data-type], .offer-with") && this.#learn();
    this.body.addEventListener("pointerover", (/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && reached(event));
    this.body.addEventListener("focusin", (/** @type {FocusEvent} */ event) => /** @type {Element} */ (event.target).matches(":focus-visible") && reached(event));
    patch(place, this.body, this.below);
  }

  /** Whether something is sent, or what is listed is from before it was decided. */
  get #isBusy() {
    return this.isSending || this.seen.version < (this.said.n ?? 0);
  }

  /** Draw what may be done. @param {Seen} seen */
  draw(seen) {
    this.seen = seen;
    this.below.hidden = seen.isOver;
    if (seen.options) this.place.dataset.version = String(seen.version); // before they are read nothing is shown
    if (this.said.n && seen.version > this.said.n) this.said = { text: "", isFault: false }; // others have acted since
    this.#find();
    this.#render();
  }

  /** Read what the types of commands are, once somebody reaches for one: it is more than all else that the page loads. */
  async #learn() {
    if (this.types.size) return;
    this.types = new Map((await this.on.types()).map((each) => [each.type, each]));
    this.#render();
  }

  /** Find the open form among the offers that hold now. */
  #find() {
    const { open, seen } = this;
    if (!open || !seen.options) return;
    const all = [...seen.options.flatMap(({ prompt, commands }) => offersOf(commands).map((offer) => ({ prompt, offer }))), ...unasked(seen.unprompted).map((offer) => ({ prompt: UNASKED, offer }))];
    const found = all.find((each) => keyOf(each.offer, each.prompt) === keyOf(open.offer, open.prompt))
      ?? all.find((each) => each.offer.command.type === open.offer.command.type && each.prompt.creature === open.prompt.creature);
    this.open = { ...open, ...found, isGone: !found };
  }

  /** Close the open form, and list what may be done. */
  close() {
    this.open = null;
    this.#render();
  }

  /** Take a creature that was clicked on the map. @param {string} id @returns {boolean} whether the open form wanted it */
  pick(id) {
    return this.#take((field) => field.picked(id));
  }

  /** Take a cell that was clicked on the map. @param {number[]} cell @returns {boolean} */
  choose(cell) {
    return this.#take((field, value) => field.reached(cell, value)) || this.#take((field, value) => field.further(value, cell));
  }

  /** Return whether a creature may be dragged to a place. @param {string} id */
  mayMove(id) {
    return this.#ways(id).length > 0;
  }

  /** Open the first offer that brings a creature to a cell. @param {string} id @param {number[]} cell */
  move(id, cell) {
    const found = this.#wayTo(id, cell);
    if (found) this.#open(found.offer, found.prompt, { [found.field.name]: found.value });
    else {
      this.said = { text: `No movement that may be made now leads to ${cell.join(", ")}.`, isFault: true };
      this.#render();
    }
  }

  /** Return the first offer that brings a creature to a cell, by a way that is listed if there is one. @param {string} id @param {number[]} cell */
  #wayTo(id, cell) {
    const ways = this.#ways(id);
    const found = [...ways.map((each) => ({ ...each, value: each.field.reached(cell) })), ...ways.map((each) => ({ ...each, value: each.field.further(undefined, cell) }))];
    return found.find(({ value }) => value?.length);
  }

  /** Return the command that would bring a creature to a cell, null if none would or something else is to be chosen. @param {string} id @param {number[]} cell @returns {Command | null} */
  leading(id, cell) {
    const found = this.#wayTo(id, cell);
    if (!found) return null;
    const { offer, prompt, field, value } = found;
    const first = Object.fromEntries(this.#fields(offer, prompt).map((each) => [each.name, each.first]));
    return this.#command({ offer, prompt, values: { ...first, [field.name]: value } });
  }

  /** Return the offers of a creature that have places to choose. @param {string} id */
  #ways(id) {
    const { options, isLive } = this.seen;
    if (!options || !isLive) return [];
    return options.filter(({ prompt }) => prompt.creature === id).flatMap(({ prompt, commands }) => offersOf(commands).flatMap((offer) =>
      this.#fields(offer, prompt).filter((field) => field.isOfPlaces).map((field) => ({ offer, prompt, field }))));
  }

  /** @param {(field: ChoiceField, value: any) => any} find @returns {boolean} */
  #take(find) {
    if (!this.open || this.open.isGone) return false;
    for (const field of this.#fields(this.open.offer, this.open.prompt)) {
      const value = find(field, field.kept(this.open.values[field.name]));
      if (value === undefined) continue;
      this.open.values = { ...this.open.values, [field.name]: value };
      this.#render();
      return true;
    }
    return false;
  }

  /** Return the fields of an offer that have listed values. @param {Offer} offer @param {Prompt} prompt */
  #fields(offer, prompt) {
    const { tokens } = this.seen;
    const near = tokens.get(prompt.creature ?? "")?.position;
    return Object.entries(offer.choices).filter(([name]) => name !== "faces").map(([name, choice]) => new ChoiceField(name, choice, tokens, near, offer.gaps?.includes(name)));
  }

  /** Return an offer as it is about a creature: with that one chosen; null if it is not. @param {Offer} offer @param {Prompt} prompt @param {string} id @returns {Json | null} */
  #about(offer, prompt, id) {
    if (prompt.creature === id) return {};
    if (fixed(offer).some(([, value]) => value === id)) return {};
    const field = this.#fields(offer, prompt).find((each) => each.concerns(id));
    return field ? { [field.name]: field.picked(id) } : null;
  }

  #render() {
    const { options, isLive } = this.seen;
    const isHere = this.body.contains(document.activeElement);
    this.#mark();
    const told = [
      this.seen.recent.length ? html("div", { class: "recent small", key: "recent", role: "group", "aria-label": "What happened last" }, this.seen.recent.map((text, index) => html("p", { key: index }, text))) : null,
      html("p", { class: this.said.isFault ? "said fault" : "said", role: "status", key: "said", "data-n": this.said.n }, this.said.text),
    ];
    if (options === null) patch(this.body, told, html("p", { class: "soft" }, "…"));
    else if (!isLive && !this.open) patch(this.body, told, html("p", {}, "This is the past. "), button("Go to now", () => this.on.live(), { class: "main" }));
    else patch(this.body, told, this.open ? this.#form(this.open) : this.#list());
    if (isHere) stay(this.place);
  }

  #list() {
    const { waiting, selected, seat, isOver } = this.seen;
    const options = this.seen.options ?? [];
    const blocking = [...options].sort((a, b) => Number(a.prompt.optional) - Number(b.prompt.optional)); // what is waited for comes first
    const mine = blocking.map(({ prompt, commands, refused = [] }) => {
      const offers = offersOf(commands).map((offer) => ({ offer, values: selected ? this.#about(offer, prompt, selected) : {} }));
      return { prompt, offers: offers.filter(isAbout), refused: selected && prompt.creature !== selected ? [] : refused };
    }).filter(({ prompt, offers }) => offers.length || !selected || prompt.creature === selected);
    const others = waiting.filter((each) => each.seat !== seat);
    const asked = listed([...new Set(others.map((each) => `${this.#called(each.creature) ?? "the table"} (${each.seat ?? "a group"})`))]);
    return html("div", { class: "act-list", key: "list" },
      selected && html("div", { class: "row only", key: "only" }, html("p", { class: "soft small" }, `Only what ${this.#called(selected)} may do, and what may be done to it.`), button("Show everything", () => this.on.clear())),
      selected ? null : this.#passAll(blocking),
      mine.map((option) => this.#option(option)),
      mine.length ? null : html("p", {}, isOver ? "The fight is over." : options.length ? `Nothing can be done with ${this.#called(selected)} now.` : asked ? "Nobody asks you now." : "Nothing to do for this seat now."),
      asked ? html("p", { class: "soft small" }, "Others are asked: ", asked, seat === "gm" && !isOver ? ". Share has a link for each; a seat that you close there is yours to play." : "") : null,
      this.#anyTime());
  }

  /** Draw what a player may send without being asked. */
  #anyTime() {
    const offers = unasked(this.seen.unprompted);
    if (!offers.length || this.seen.isOver) return null;
    return html("details", { class: "refused", key: "any" }, html("summary", {}, "At any time"), html("div", { class: "offers" }, offers.map((offer) => html("button", {
      type: "button", key: offer.command.type, "data-any": offer.command.type, disabled: this.#isBusy, onclick: () => this.#open(offer, UNASKED),
    }, (offer.text ?? "").replace(/\.$/, ""), " …"))));
  }

  /** Return what a creature is called. @param {string | null} id */
  #called(id) {
    return id && (this.seen.names.get(id) ?? id);
  }

  /** @param {{prompt: Prompt, offers: {offer: Offer, values: Json}[], refused: NonNullable<Option["refused"]>}} option */
  #option({ prompt, offers, refused }) {
    const { tokens } = this.seen;
    const { creature } = prompt;
    const passing = offers.map((each) => each.offer).find((offer) => offer.passes && isComplete(offer, prompt)); // one click, where it is seen at once
    const sides = [...new Set([...tokens.values()].map((each) => each.side))];
    return html("section", { class: `option side-${Math.max(0, sides.indexOf(tokens.get(creature ?? "")?.side ?? "")) % SIDES}`, key: prompt.prompt },
      html("h3", {}, creature && html("span", { class: "badge", "aria-hidden": "true" }, this.seen.letters.get(creature)), this.#called(creature) ?? "The table",
        html("span", { class: "chip" }, prompt.optional ? "may" : "is waited for"),
        passing && html("button", { type: "button", class: "passes", "data-type": passing.command.type, disabled: this.#isBusy, title: this.types.get(passing.command.type)?.text, onclick: () => this.#send(passing.command, passing) }, passing.text)),
      html("div", { class: "offers" }, offers.filter(({ offer }) => offer !== passing).map(({ offer, values }) => {
        const only = Object.keys(values).length ? null : this.#only(offer, prompt);
        if (only) return this.#beside(offer, prompt, only);
        const isReady = isComplete(offer, prompt) || this.#isDecided(offer, prompt, values);
        return html("button", {
          type: "button", key: keyOf(offer, prompt), "data-type": offer.command.type, disabled: this.#isBusy, title: this.types.get(offer.command.type)?.text,
          onclick: () => (isReady ? this.#send({ ...offer.command, ...values }, offer) : this.#open(offer, prompt, values)),
        }, named(offer, tokens, offers.map((each) => each.offer), aimed(offer, values, (value) => this.#inWords(value))), isReady || offer.text?.includes("…") ? null : " …");
      })),
      refused.length ? html("details", { class: "refused" }, html("summary", {}, "Not now"),
        html("ul", {}, refused.map(({ type, name, detail }) => html("li", { key: type }, html("b", {}, name), `: ${detail}`)))) : null);
  }

  /** Return the one field of an offer, if its values are so few that each can be a button; null if not. @param {Offer} offer @param {Prompt} prompt */
  #only(offer, prompt) {
    if ((offer.asks ?? []).length || prompt.wants.length) return null;
    const [field, ...others] = this.#fields(offer, prompt);
    if (!field || others.length || field.isOfPlaces || field.values.length > BESIDE) return null;
    return prompt.optional && field.mayBeNothing ? null : field; // who need not choose is not shown the choice of nothing
  }

  /** Draw an offer with a button for each value of its one field. @param {Offer} offer @param {Prompt} prompt @param {ChoiceField} field */
  #beside(offer, prompt, field) {
    const { command: { type }, text: said = words(offer.command.type) } = offer;
    const isSaid = said.includes("…") || field.values.some((value) => this.seen.tokens.has(value));
    const isSwitch = field.values.length > 1 && field.values.every((value) => typeof value === "boolean"); // done plainly, or so
    const name = isSaid || isSwitch ? said.replace(/:? ?…$/, "") : `${said}: ${words(field.name)}`;
    return html("div", { class: "offer-with", role: "group", "aria-label": name, key: keyOf(offer, prompt), title: this.types.get(type)?.text },
      isSwitch ? null : html("span", {}, name), (isSwitch ? [false, true] : field.values).map((value, index) => {
        const text = !isSwitch ? this.#inWords(value) : value ? words(field.name) : name;
        return html("button", { type: "button", key: index, "data-type": type, disabled: this.#isBusy, onclick: () => this.#send({ ...offer.command, [field.name]: value }, offer) }, text);
      }));
  }

  /** Return a value in words, creatures as they are called. @param {any} value @returns {string} */
  #inWords(value) {
    return this.seen.names.get(value) ?? inWords(value, this.seen.tokens);
  }

  /** Return whether what was clicked leaves nothing open. @param {Offer} offer @param {Prompt} prompt @param {Json} values */
  #isDecided(offer, prompt, values) {
    return !(offer.asks ?? []).length && !prompt.wants.length && Object.keys(values).length > 0 && Object.keys(offer.choices).every((name) => name in values);
  }

  /** Open the form of an offer. @param {Offer} offer @param {Prompt} prompt @param {Json} [values] what is chosen already */
  async #open(offer, prompt, values = {}) {
    const first = Object.fromEntries(this.#fields(offer, prompt).map((field) => [field.name, field.first]));
    this.said = { text: "", isFault: false };
    this.open = { offer, prompt, values: { ...first, ...values }, schema: null, isGone: false };
    this.#render();
    const learned = this.#learn();
    if (offer.asks?.length) {
      this.forms = await import("../shared/form.mjs");
      await learned;
      if (this.open?.offer === offer) this.open.schema = this.types.get(offer.command.type)?.schema ?? null;
      this.#render();
    }
    /** @type {HTMLElement | null} */ (this.body.querySelector(".act-form [aria-pressed=true], .act-form select, .act-form input, .act-form textarea") ?? this.body.querySelector("[type=submit]"))?.focus();
  }

  /** Return the command as the open form has it, null while something is missing. @param {Filled} open @returns {Command | null} */
  #command({ offer, prompt, values }) {
    const fields = this.#fields(offer, prompt);
    /** @type {[string, any][]} */
    const chosen = fields.map((field) => [field.name, field.kept(values[field.name])]);
    const asks = (offer.asks ?? []).filter((name) => name !== "faces" || !prompt.wants.length);
    if (prompt.wants.length) chosen.push(["faces", values.faces?.every((/** @type {number | undefined} */ each) => each !== undefined) ? values.faces : undefined]);
    for (const name of asks) chosen.push([name, values[name] === "" ? undefined : values[name]]);
    return chosen.some(([, value]) => value === undefined) ? null : { ...offer.command, ...Object.fromEntries(chosen) };
  }

  /** @param {Open} open */
  #form(open) {
    const { tokens } = this.seen;
    const { offer, prompt, values, schema, isGone } = open;
    const { forms } = this;
    const change = (/** @type {(values: Json) => Json} */ made) => {
      if (this.open) this.open.values = made(this.open.values);
      this.#render();
    };
    const take = (/** @type {string} */ name, /** @type {any} */ value) => change((earlier) => ({ ...earlier, [name]: value }));
    const asks = (offer.asks ?? []).filter((name) => name !== "faces" || !prompt.wants.length);
    const command = isGone ? null : this.#command(open);
    if (this.#fields(offer, prompt).some((field) => field.isOfPlaces)) this.#foresee(command);
    const foreseen = this.foreseen.text && this.foreseen.key === JSON.stringify(command) ? this.foreseen : null;
    /** @type {import("../shared/form.mjs").Form} */
    const form = { root: schema ?? {}, id: "field", set: (path, value) => change((earlier) => forms?.withPart(earlier, path, value) ?? earlier) };
    return html("form", { class: "card act-form", key: `form ${offer.command.type} ${prompt.creature ?? ""}`, onsubmit: (event) => {
      event.preventDefault();
      if (command) this.#send(command, offer);
    } }, html("h3", {}, prompt.creature ? `${this.#called(prompt.creature)}: ` : "", named(offer, tokens)),
    isGone && html("p", { class: "fault small", role: "alert" }, "This cannot be done any more, or not yet. What you wrote stays here."),
    this.#fields(offer, prompt).map((field) => field.draw(field.kept(values[field.name]), (value) => take(field.name, value))),
    foreseen && html("p", { class: foreseen.isRefused ? "foreseen fault" : "foreseen", role: "status", key: "foreseen" }, foreseen.text),
    prompt.wants.length ? drawDice(prompt.wants, values.faces ?? [], (faces) => take("faces", faces)) : null,
    asks.length && !schema ? html("p", { class: "soft small", role: "status", key: "coming" }, "What to write is on its way …") : null,
    schema && forms ? asks.map((name) => forms.fieldOf(form, { ...schema.properties[name], ...(offer.notes?.[name] ? { description: offer.notes[name] } : {}) }, values[name], [name])) : null,
    html("div", { class: "row" }, html("button", { type: "submit", class: "main", disabled: command === null || this.#isBusy || foreseen?.isRefused }, "Send"), button("Back", () => this.close())),
    this.types.has(offer.command.type) && html("p", { class: "soft small", key: "what" }, this.types.get(offer.command.type)?.text)); // it comes late, and moves nothing
  }

  /** Ask what a movement costs and whom it provokes, once for each command. @param {Command | null} command */
  async #foresee(command) {
    const key = JSON.stringify(command);
    if (!command || this.foreseen.key === key) return;
    this.foreseen = { key, text: "", isRefused: false };
    const { way, refusal } = (await this.on.foreseen(command)) ?? {};
    if (this.foreseen.key !== key) return;
    const provoked = way?.provokes.map((id) => this.#called(id)).join(", ");
    if (way) this.foreseen.text = `${way.feet} ft${provoked ? `; it provokes ${provoked}` : "; it provokes nobody"}.`;
    if (refusal) this.foreseen = { key, text: `Not so: ${refusal.detail}.`, isRefused: true };
    this.#render();
  }

  #mark() {
    const { open } = this;
    if (!open || open.isGone) {
      this.on.offer(NOTHING);
      return;
    }
    const offered = this.#fields(open.offer, open.prompt).map((field) => field.offered(field.kept(open.values[field.name])));
    this.on.offer({
      cells: offered.flatMap((each) => each.cells), path: offered.find((each) => each.path.length)?.path ?? [],
      creatures: offered.flatMap((each) => each.creatures),
    });
  }

  /** Draw one button for what lets the moment go by for several creatures, where each would take a click. @param {Option[]} options */
  #passAll(options) {
    const found = options.flatMap(({ prompt, commands }) => offersOf(commands).filter((offer) => offer.passes && prompt.creature && isComplete(offer, prompt)).map((offer) => ({ offer, creature: prompt.creature })));
    const [first] = found;
    const alike = found.filter(({ offer }) => offer.command.type === first.offer.command.type);
    if (alike.length < MANY) return null;
    const all = () => this.#sending(async () => {
      const commands = alike.map(({ offer }) => offer.command);
      let n = 0, refusal = null;
      for (let from = 0; from < commands.length; from += IN_ONE) {
        const done = await this.on.sendAll(commands.slice(from, from + IN_ONE));
        n = done.n + done.outcomes.length - 1; // the answer names the first
        refusal ??= done.outcomes.find((each) => each.refusal)?.refusal;
      }
      return refusal ? { text: said(refusal), isFault: true } : { text: `Done: ${first.offer.text}, for all ${alike.length}.`, isFault: false, n };
    });
    return html("button", { type: "button", class: "pass-all", key: "pass-all", disabled: this.#isBusy, onclick: all }, `${first.offer.text}: all ${alike.length}`,
      html("small", {}, ` ${listed(alike.map(({ creature }) => this.#called(creature) ?? ""))}`));
  }

  /** @param {Command} command @param {Offer} offer in whose words it is said */
  #send(command, offer) {
    return this.#sending(async () => {
      const { n } = await this.on.send(command);
      if (this.seen.selected && command.creature !== this.seen.selected) this.on.clear(); // whom it was done to; who did it goes on
      return { text: `Done: ${sentenceOf(offer, command, (value) => this.#inWords(value))}.`, isFault: false, n };
    });
  }

  /** Send, and say how it came out; nothing else can be sent meanwhile. @param {() => Promise<Act["said"]>} send */
  async #sending(send) {
    const isHere = this.body.contains(document.activeElement);
    this.said = { text: "…", isFault: false };
    this.isSending = true;
    this.#render();
    try {
      this.said = await send();
      if (!this.said.isFault) this.open = null;
    } catch (failed) {
      this.said = { text: said(/** @type {import("../client/rewound.mjs").Problem} */ (failed)), isFault: true };
    }
    this.isSending = false;
    this.#render();
    if (isHere) stay(this.place);
  }
}

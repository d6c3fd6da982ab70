// Act: what this seat may do now, as the service lists it. Pick a creature, an offer, cells and targets, and send.

import { button, html, show, words } from "../shared/dom.mjs";
import { choiceField, diceField, inWords, writtenField } from "./fields.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */
/** @typedef {import("./fields.mjs").Field} Field */
/** @typedef {{options: Json[] | null, waiting: Json[], tokens: Map<string, Json>, selected: string | null, isLive: boolean, seat: string,
 *  version: number}} Seen `version` is the commit after which the options hold */

const FEW = 3; // values of a choice that the name of an offer lists
const NAMED = new Set(["type", "creature", "prompt"]);

/** Return whether an offer can be sent as it is. @param {Json} offer @param {Json} prompt */
const isComplete = ({ choices, asks = [] }, prompt) => !asks.length && !prompt.wants.length && !Object.keys(choices).length;

/** Return what sets an offer apart from others of its type: what may be chosen in it. @param {Json} offer @param {Map<string, Json>} tokens */
const apart = ({ choices }, tokens) => Object.values(choices).filter(Array.isArray).map((values) => {
  const said = values.slice(0, FEW).map((value) => inWords(value, tokens));
  return `${said.join(" or ")}${values.length > FEW ? " …" : ""}`;
}).filter((text) => text !== "none");

/** Return what an offer is called. @param {Json} offer @param {Map<string, Json>} tokens @param {boolean} [isOneOfMany] whether others have its type */
const named = ({ command, choices }, tokens, isOneOfMany = false) => {
  const given = Object.entries(command).filter(([name, value]) => !NAMED.has(name) && !(name in choices) && name !== "faces" && value !== null && value !== false
    && !(Array.isArray(value) && !value.length) && !(typeof value === "object" && !Object.keys(value).length));
  const said = given.map(([name, value]) => (value === true ? words(name) : inWords(value, tokens)));
  if (isOneOfMany) said.push(...apart({ choices }, tokens));
  return html("span", {}, words(command.type), said.length ? html("small", {}, ` ${said.join(", ")}`) : null);
};

/** The panel to act, in an element of the page. */
export class Act {
  /**
   * @param {HTMLElement} place
   * @param {{send: (command: Json) => Promise<Json>, schema: (type: string) => Promise<Json>, offer: (offered: {cells: number[][], path: number[][], creatures: string[]}) => void, live: () => void}} on
   */
  constructor(place, on) {
    this.on = on;
    this.place = place;
    /** @type {Field[]} the fields of the open form */
    this.fields = [];
    this.said = html("p", { class: "said", role: "status" });
    this.body = html("div");
    this.below = html("div"); // what belongs to the seat, not to a prompt
    show(place, this.said, this.body, this.below);
  }

  /** Draw what may be done. @param {Seen} seen */
  draw(seen) {
    this.seen = seen;
    this.place.dataset.version = String(seen.version);
    this.close();
  }

  /** Close the open form, and list what may be done. */
  close() {
    const { options, waiting, tokens, selected, isLive, seat } = this.seen;
    this.fields = [];
    this.on.offer({ cells: [], path: [], creatures: [] });
    if (options === null) {
      show(this.body, html("p", { class: "soft" }, "…"));
      return;
    }
    if (!isLive) {
      show(this.body, html("p", {}, "This is the past. "), button("Go to now", () => this.on.live(), { class: "main" }));
      return;
    }
    const mine = options.filter(({ prompt }) => !selected || !prompt.creature || prompt.creature === selected)
      .sort((a, b) => Number(a.prompt.optional) - Number(b.prompt.optional)); // what is waited for comes first
    const others = waiting.filter((each) => each.seat !== seat);
    show(this.body,
      selected && html("p", { class: "soft small" }, `Only what concerns ${tokens.get(selected)?.name ?? selected}: select it again to see everything.`),
      mine.map((option) => this.#option(option)),
      mine.length ? null : html("p", {}, options.length ? "Nothing to do for this creature now." : "Nothing to do for this seat now."),
      others.length ? html("p", { class: "soft small" }, "Others are asked: ",
        [...new Set(others.map((each) => `${tokens.get(each.creature)?.name ?? "the table"} (${each.seat ?? "a group"})`))].join(", ")) : null);
  }

  /** Take a creature that was clicked on the map. @param {string} id @returns {boolean} whether the open form wanted it */
  pick(id) {
    return this.fields.some((field) => field.pick?.(id));
  }

  /** Take a cell that was clicked on the map. @param {number[]} cell */
  choose(cell) {
    this.fields.some((field) => field.choose?.(cell));
  }

  #option({ prompt, commands }) {
    const { tokens } = this.seen;
    const whose = prompt.creature ? tokens.get(prompt.creature)?.name ?? prompt.creature : "The table";
    return html("section", { class: "option" },
      html("h3", {}, whose, html("span", { class: "chip" }, prompt.optional ? "may" : "is waited for"),
        prompt.accepts.length === 1 ? html("small", { class: "soft" }, words(prompt.accepts[0])) : null),
      html("div", { class: "offers" }, commands.map((offer) => html("button", {
        type: "button", "data-type": offer.command.type,
        onclick: () => (isComplete(offer, prompt) ? this.#send(offer.command) : this.#open(offer, prompt)),
      }, named(offer, tokens, commands.filter(({ command }) => command.type === offer.command.type).length > 1), isComplete(offer, prompt) ? null : " …"))));
  }

  async #open(offer, prompt) {
    const { tokens } = this.seen;
    const { command, choices, asks = [] } = offer;
    const changed = () => this.#changed();
    const schema = asks.length ? await this.on.schema(command.type) : null;
    this.fields = [
      ...Object.entries(choices).filter(([name]) => name !== "faces").map(([name, choice]) => choiceField(name, choice, tokens, changed, tokens.get(prompt.creature)?.position)),
      ...(prompt.wants.length ? [diceField(prompt.wants, changed)] : []),
      ...asks.filter((name) => name !== "faces" || !prompt.wants.length).map((name) => writtenField(name, schema.properties[name], changed)),
    ];
    this.submit = button("Send", () => {}, { type: "submit", class: "main" });
    const form = html("form", { class: "card act-form" }, html("h3", {}, prompt.creature ? `${tokens.get(prompt.creature)?.name ?? prompt.creature}: ` : "", named(offer, tokens)),
      this.fields.map((field) => field.node),
      html("div", { class: "row" }, this.submit, button("Back", () => this.close())));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send({ ...command, ...Object.fromEntries(this.fields.map((field) => [field.name, field.value()])) });
    });
    show(this.body, form);
    this.#changed();
    (form.querySelector("[aria-pressed=true], select, input, textarea") ?? this.submit).focus();
  }

  #changed() {
    this.submit.disabled = this.fields.some((field) => field.value() === undefined);
    const offered = this.fields.map((field) => field.offered());
    this.on.offer({
      cells: offered.flatMap((each) => each.cells), path: offered.find((each) => each.path.length)?.path ?? [],
      creatures: offered.flatMap((each) => each.creatures),
    });
  }

  async #send(command) {
    this.said.className = "said";
    this.said.textContent = "…";
    for (const each of this.body.querySelectorAll("button")) each.disabled = true;
    try {
      const { n } = await this.on.send(command);
      this.said.textContent = `Done: ${words(command.type)}, commit ${n}.`;
    } catch (fault) {
      this.said.className = "said fault";
      this.said.textContent = `${fault.detail ?? fault.message}${fault.rule ? ` (${fault.rule})` : ""}`;
      this.close();
    }
  }
}

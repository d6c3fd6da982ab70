// What a game master does at any time: rule, change and add creatures, roll behind the screen, seats, the end.
//
// The service lists the commands and why one is not legal now; their forms are made of their schemas.

import { confirmed } from "../shared/ask.mjs";
import { bookOf, cellsFrom, drawBlocks, drawSheet, idOf, newSheet, spaceOf } from "../shared/creature_form.mjs";
import { button, capital, faultText, html, patch, stay, words } from "../shared/dom.mjs";
import { blankOf, faultsOf, fieldOf, resolved, withPart } from "../shared/form.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("../client/contract.mjs").UnpromptedCommand} Unprompted */
/** @typedef {import("../client/contract.mjs").CommandTypes["commands"][number]} CommandType */
/** @typedef {import("../shared/form.mjs").Form} Form */
/** @typedef {{unprompted: Unprompted[], tokens: import("./record.mjs").Tokens, names: Map<string, string>, selected: string | null, edition: string, isLive: boolean, mayRedo: boolean, isOver: boolean}} Seen */
/** @typedef {{type: string, data: Json, faults: Map<string, string>, fault: string, wanted: string, isSheet: boolean}} Open a form that the gm fills in */

const ENTRY = "entry"; // a field that a creature is written in
const WHOM = ["creature", "target"]; // fields of an effect that say on whom it is
const LAST = new Set(["close"]); // what cannot be taken back by an undo

/** Return those faults that are below a pointer, as they are named from there. @param {Map<string, string>} faults @param {string} pointer */
const below = (faults, pointer) => new Map([...faults].filter(([each]) => each.startsWith(pointer)).map(([each, text]) => [each.slice(pointer.length), text]));

/** Return the ways in which a value may be written. @param {Json} value its schema @param {Json} schema @returns {Json[]} */
const waysOf = (value, schema) => {
  const found = resolved(value, schema);
  return (found.oneOf ?? found.anyOf ?? [found]).map((/** @type {Json} */ each) => resolved(each, schema));
};

/** The panel of the game master, in an element of the page. */
export class GameMaster {
  /**
   * @param {HTMLElement} place @param {import("../client/rewound.mjs").Encounter} encounter
   * @param {{send: (command: {type: string}) => Promise<{n: number}>, types: () => Promise<CommandType[]>, point: (take: (cell: number[]) => void) => void,
   *  undo: () => void, redo: () => void, proof: () => void, replay: () => Promise<void>}} on
   */
  constructor(place, encounter, on) {
    this.place = place;
    this.encounter = encounter;
    this.on = on;
    /** @type {Seen} */
    this.seen = { unprompted: [], tokens: new Map(), names: new Map(), selected: null, edition: "", isLive: true, mayRedo: false, isOver: false };
    /** @type {Open | null} */
    this.open = null;
    this.said = "";
    this.isSending = false;
    /** @type {Map<string, CommandType>} the types of commands, once they are wanted */
    this.schemas = new Map();
    /** @type {import("../shared/creature_form.mjs").Book | null} */
    this.book = null;
  }

  /** Draw what may be done. @param {Seen} seen */
  draw(seen) {
    this.seen = seen;
    this.#render();
  }

  /** Return the schema of a type of commands. @param {string} type @returns {Promise<Json>} */
  async #schemaOf(type) {
    if (!this.schemas.size) this.schemas = new Map((await this.on.types()).map((each) => [each.type, each]));
    return this.schemas.get(type)?.schema ?? {};
  }

  /** Open the form of a command, with parts of its data. @param {string} type @param {Json} [data] */
  async begin(type, data = {}) {
    this.said = "…"; // the schemas come when they are wanted first
    this.#render();
    const schema = await this.#schemaOf(type);
    const start = blankOf(schema, schema);
    delete start.type;
    for (const [name, values] of Object.entries(this.#listed(type).choices)) {
      if (name in start && !values.includes(start[name])) start[name] = values.length === 1 ? values[0] : undefined;
    }
    if (ENTRY in schema.properties) {
      this.book ??= await bookOf(this.encounter.client, this.seen.edition);
      start[ENTRY] = { side: [...this.#sides()].at(-1), position: this.#free() };
    }
    this.open = { type, data: { ...start, ...data }, faults: new Map(), fault: "", wanted: "", isSheet: !this.book?.blocks.length };
    this.said = "";
    this.#render();
    /** @type {any} */ (this.place.querySelector("form input, form select, form textarea"))?.focus();
  }

  /** Open a ruling that changes a creature. @param {string} id */
  async change(id) {
    const schema = await this.#schemaOf("gm_ruling");
    /** @type {Json[]} */
    const ways = waysOf(resolved(schema.properties.effects, schema).items, schema);
    const hp = this.seen.tokens.get(id)?.hp;
    const whom = WHOM.find((name) => ways.some((each) => each.properties[name])) ?? WHOM[0];
    const named = ways.filter((each) => each.properties[whom]);
    const way = named.find((each) => each.properties.hp && Number.isInteger(hp)) ?? named[0] ?? ways[0]; // hit points are what changes most
    const kind = resolved(schema.properties.kind, schema).enum?.find((/** @type {string} */ each) => each === "correction");
    await this.begin("gm_ruling", { effects: [{ ...blankOf(way, schema), [whom]: id, ...(way.properties.hp ? { hp } : {}) }], ...(kind ? { kind } : {}), ...(schema.properties.subject ? { subject: id } : {}) });
  }

  /** Return what a type of commands is called. @param {string} type */
  #called(type) {
    return this.seen.unprompted.find((each) => each.command.type === type)?.name ?? capital(words(type));
  }

  /** Return what may be in the fields of a command on this table. @param {string} type @returns {{choices: Json, lists: Record<string, any[]>, called?: Record<string, Record<string, string>>}} */
  #listed(type) {
    return this.seen.unprompted.find((each) => each.command.type === type) ?? { choices: {}, lists: {} };
  }

  #sides() {
    return new Set([...this.seen.tokens.values()].map((each) => each.side));
  }

  /** Return a place that nobody stands on, beside the others. @param {number} [space] cells along one side */
  #free(space = 1) {
    const taken = new Set([...this.seen.tokens.values()].flatMap((each) => cellsFrom(each.position, each.space)));
    for (let x = 0; ; x += 1) if (!cellsFrom([x, 2], space).some((each) => taken.has(each))) return [x, 2];
  }

  #render() {
    const { unprompted, selected, tokens, isLive, mayRedo, isOver } = this.seen;
    const chosen = selected && tokens.get(selected);
    /** @type {Map<string, Unprompted[]>} */
    const headings = new Map();
    for (const each of unprompted) headings.set(each.heading, [...(headings.get(each.heading) ?? []), each]);
    patch(this.place, html("p", { class: "said", role: "status", key: "said" }, this.said),
      this.open ? this.#form(this.open) : null,
      isOver ? html("p", { key: "over" }, "Nobody can act in it any more.") : html("div", { class: "row tools", key: "tools" }, button("Undo the last act", () => this.#turnTo(this.on.undo)), button("Redo", () => this.#turnTo(this.on.redo), { disabled: !mayRedo }),
        chosen && button(`Change ${chosen.name} …`, () => this.change(chosen.id), { class: "change" })),
      isLive ? null : html("p", { class: "soft small", key: "past" }, "The map shows the past; what you do here happens now."),
      isOver ? null : [...headings].map(([heading, all]) => html("section", { class: "option", key: heading }, html("h3", {}, heading),
        html("div", { class: "offers" }, all.map((each) => html("button", { type: "button", key: each.command.type, "data-command": each.command.type, disabled: each.refusal !== null,
          title: each.refusal ? `Not now: ${each.refusal.detail}` : each.text, onclick: () => (LAST.has(each.command.type) ? this.end() : this.begin(each.command.type)) }, each.name.includes("…") ? each.name : `${each.name} …`))),
        all.filter((each) => each.refusal).map((each) => html("p", { class: "soft small why-not", key: each.command.type }, `${each.name}: not now, ${each.refusal?.detail}.`)))),
      html("section", { class: "option", key: "export" }, html("h3", {}, "Keep it"),
        html("div", { class: "offers" }, button("Export the replay", () => this.#export(), { class: "replay" }), button("Proof", () => this.on.proof()))));
  }

  /** Draw the form of the open command. @param {Open} open */
  #form(open) {
    const { seen } = this;
    const { text } = this.schemas.get(open.type) ?? {};
    /** @type {Json} */
    const schema = this.schemas.get(open.type)?.schema ?? {};
    const listed = this.#listed(open.type);
    const called = (/** @type {any} */ value) => seen.names.get(value) ?? (value === null ? "none" : words(String(value)));
    /** @type {[string, string][]} */
    const creatures = [...seen.names];
    /** @type {Form} */
    const form = {
      root: schema, id: "gm", faults: open.faults,
      set: (path, value) => { open.data = withPart(open.data, path, value); this.#render(); },
      known: (name) => (listed.choices[name] ? listed.choices[name].map((/** @type {any} */ each) => [each, listed.called?.[name]?.[each] ?? called(each)]) : /^(creature|target|patient|toward|source|attacker)$/.test(name) ? creatures
        : name === "side" ? [...this.#sides()].map((each) => [each, words(each)]) : undefined),
      listed: (name) => listed.lists[name]?.map((each) => [each, called(each)]) ?? (/^(creatures|targets|subjects|viewers)$/.test(name) ? creatures : undefined),
      point: (path) => this.on.point((cell) => form.set(path, cell)),
    };
    const needed = new Set(schema.required);
    return html("form", { class: "card act-form gm-form", key: `form ${open.type}`, onsubmit: (event) => { event.preventDefault(); this.#send(); } },
      html("h3", {}, this.#called(open.type)), html("p", { class: "soft small" }, text),
      ENTRY in schema.properties ? this.#entry(open, form) : null,
      Object.entries(schema.properties).filter(([name]) => name !== "type" && name !== ENTRY).map(([name, each]) => fieldOf(form, each, open.data[name], [name], needed.has(name))),
      open.fault && html("p", { class: "fault", role: "alert" }, open.fault),
      html("div", { class: "row" }, html("button", { type: "submit", class: "main", disabled: this.isSending }, "Do it"), button("Back", () => { this.open = null; this.#render(); })));
  }

  /** Draw the creature that joins: a stat block, or a sheet. @param {Open} open @param {Form} form */
  #entry(open, form) {
    const { book } = this;
    if (!book) return null;
    const entry = open.data[ENTRY];
    const set = (/** @type {Json} */ part) => form.set([ENTRY], { ...open.data[ENTRY], ...part });
    const pick = (/** @type {Json} */ block) => set({ stat_block: block.id, sheet: undefined, name: block.name, id: idOf(block.name, this.seen.tokens.keys()), ...(String(entry.position) === String(this.#free()) ? { position: this.#free(spaceOf(book, block.data)) } : {}) });
    const sides = [...this.#sides()];
    const name = entry.sheet?.name ?? entry.name ?? "";
    return html("div", { key: ENTRY, class: "entry-form" },
      book.blocks.length ? html("div", { class: "row" }, button("Stat block", () => { open.isSheet = false; set({ sheet: undefined }); }, { "aria-pressed": String(!open.isSheet) }),
        button("Sheet", () => { open.isSheet = true; set({ stat_block: undefined, name: undefined, id: undefined, sheet: newSheet(book, idOf(name || "creature", this.seen.tokens.keys()), name, entry.side) }); }, { "aria-pressed": String(open.isSheet) })) : null,
      !open.isSheet && drawBlocks(book.blocks, open.wanted, (wanted) => { open.wanted = wanted; this.#render(); }, pick, "gm-block"),
      !open.isSheet && entry.stat_block && html("p", { class: "chosen" }, "Chosen: ", html("b", {}, book.blocks.find((each) => each.id === entry.stat_block)?.name)),
      open.isSheet && book.sheet && drawSheet(book, entry.sheet ?? newSheet(book, "creature", "", entry.side), (sheet) => set({ sheet: { ...sheet, id: idOf(sheet.name || "creature", this.seen.tokens.keys()) } }), { id: "gm-sheet", faults: below(open.faults, `/${ENTRY}/sheet`), sides }),
      !open.isSheet && [html("div", { class: "field", key: "name" }, html("label", { for: "gm-name" }, "Name"), html("input", { id: "gm-name", value: entry.name ?? "", autocomplete: "off", oninput: (event) => set({ name: event.target.value }) })),
        html("div", { class: "field", key: "side" }, html("label", { for: "gm-side" }, "Side"), html("select", { id: "gm-side", onchange: (event) => set({ side: event.target.value }) }, sides.map((each) => html("option", { key: each, value: each, selected: each === entry.side }, words(each)))))],
      fieldOf(form, { type: "array", minItems: 2, maxItems: 2, items: { type: "integer" }, title: "Cell" }, entry.position, [ENTRY, "position"]));
  }

  /** Return data without what nobody wrote. @param {any} value @returns {any} */
  #written(value) {
    if (Array.isArray(value) || value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined).map(([name, each]) => [name, this.#written(each)]));
  }

  /** Return a creature of a stat block as its book takes it: by the name of the block, or with the sheet that it is. @param {Json} entry @param {Json} schema of the command @returns {Json} */
  #entered(entry, schema) {
    if (waysOf(schema.properties[ENTRY], schema).some((each) => each.properties?.stat_block)) return entry;
    const { stat_block: block, id, name, side, ...rest } = entry;
    return { ...rest, sheet: { ...this.book?.blocks.find((each) => each.id === block)?.data, id, name, side } };
  }

  /** Do something else, which makes what was said last old. @param {() => void} other */
  #turnTo(other) {
    this.said = "";
    this.#render();
    other();
  }

  async #send() {
    const { open } = this;
    if (!open || this.isSending) return;
    const data = this.#written(open.data);
    if (data[ENTRY]?.sheet && !open.isSheet) delete data[ENTRY].sheet;
    if (data[ENTRY]?.stat_block) data[ENTRY] = this.#entered(data[ENTRY], this.schemas.get(open.type)?.schema ?? {});
    if (data[ENTRY]?.sheet) delete data[ENTRY].side;
    this.isSending = true;
    this.said = "…";
    this.#render();
    try {
      await this.on.send({ type: open.type, ...data });
      if (this.open === open) this.open = null;
      this.said = `Done: ${this.#called(open.type)}.`;
    } catch (fault) {
      this.said = "";
      if (this.open === open) Object.assign(open, { fault: capital(faultText(fault)), faults: faultsOf(fault) });
    }
    this.isSending = false;
    this.#render();
    stay(this.place);
    if (!this.open) this.place.querySelector(".said")?.scrollIntoView({ block: "nearest" }); // the form that was sent was long
  }

  /** End the fight for good, once somebody has read what that means. */
  async end() {
    const isSure = await confirmed("End the fight?", "Nobody can act in it any more. The seeds of all its dice are disclosed, and what was sealed is opened for everybody. No undo brings it back.", "End and prove it");
    if (!isSure) return;
    try {
      await this.encounter.close("the fight is over");
      await this.encounter.checkpoint();
      this.said = "The fight has ended.";
      this.on.proof();
    } catch (fault) {
      this.said = capital(faultText(fault));
    }
    this.#render();
  }

  async #export() {
    this.said = "The replay is made …";
    this.#render();
    try {
      await this.on.replay();
      this.said = "The replay is a file of its own now: it opens in any browser, without this service.";
    } catch (fault) {
      this.said = capital(faultText(fault));
    }
    this.#render();
  }
}

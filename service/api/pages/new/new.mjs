// A new fight, by clicking: its book, creatures, map, seats and options, and at the end the links of its players.
//
// The draft is one value, kept in this browser until the fight is open. What is wrong with it is said at its field.

import { at, button, capital, faultText, html, patch, words } from "../shared/dom.mjs";
import { bookOf, idOf, spaceOf } from "../shared/creature_form.mjs";
import { faultsOf } from "../shared/form.mjs";
import { drawLink, drawReach, qrOf } from "../shared/links.mjs";
import { askForKey, client, heldKey, seatOf } from "../shared/session.mjs";
import { drawCreatures, takeList } from "./creatures.mjs";
import { namesOf } from "../fight/names.mjs";
import { Ground } from "./ground.mjs";
import { sayNotes } from "./notes.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("./creatures.mjs").Draft} Draft */
/** @typedef {import("../client/contract.mjs").Rulesets["rulesets"][number]} Listed */
/** @typedef {import("../client/contract.mjs").Ruleset["options"][number]} Option a choice of the house */
/** @typedef {Parameters<typeof drawLink>[0]} Link */

const DRAFT = "rewound.new";
const SIDES = ["heroes", "foes"];
const LINK_S = 604800; // a week
const STEPS = [["book", "Book"], ["creatures", "Creatures"], ["map", "Map"], ["seats", "Seats"], ["open", "Open"]];
/** Where the members of an opening are written. */
const PLACES = /** @type {Record<string, string>} */ ({ creatures: "creatures", sides: "creatures", terrain: "map", walls: "map", scenery: "map", seats: "seats", options: "seats", title: "seats", player_side: "seats" });

/** @returns {Draft} */
const fresh = () => ({ step: "book", edition: null, title: "", cast: [], sides: SIDES, terrain: {}, walls: {}, scenery: {}, seats: [], options: {} });

/** Return the object that a text of JSON is; null of any other text. @param {string} text @returns {Json | null} */
const readObject = (text) => {
  try {
    const data = JSON.parse(text);
    return typeof data === "object" && !Array.isArray(data) ? data : null;
  } catch {
    return null;
  }
};

class NewFight {
  /** @param {HTMLElement} place @param {import("../client/rewound.mjs").Client} client */
  constructor(place, client) {
    this.place = place;
    this.client = client;
    /** @type {Draft} */
    this.draft = fresh();
    try {
      this.draft = { ...fresh(), ...JSON.parse(localStorage.getItem(DRAFT) ?? "{}") };
    } catch { /* a draft that is not read is begun again */ }
    /** @type {Map<string, string>} what is wrong, by JSON pointer */
    this.faults = new Map();
    this.fault = "";
    this.note = ""; // what a file that was taken has left to say
    this.wanted = "";
    this.shown = ""; // the step on the screen
    /** @type {string | null} the creature whose sheet is open */
    this.editing = null;
    /** @type {{id: string, links: Link[]} | null} what there is once the fight is open */
    this.links = null;
    this.isOpening = false;
    /** @type {Listed[]} */
    this.books = [];
    /** @type {import("../client/contract.mjs").SheetSchema["opening"]} what an opening takes */
    this.takes = { fields: [], terrain: [], light: [], spaces: {} };
    this.ground = new Ground({ change: (part) => this.set(part), place: (id, cell) => this.#moved(id, cell) });
    for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault()); // else the browser leaves the page and shows the file
    document.addEventListener("drop", (event) => this.#dropped(event.dataTransfer?.files[0]));
    this.#begin();
  }

  /** Take a file that was dropped anywhere on the page. @param {File | undefined} file */
  #dropped(file) {
    if (this.draft.step === "map") this.#file(file);
    if (this.draft.step === "creatures") takeList(this.#adding(), file);
  }

  async #begin() {
    this.books = await this.client.rulesets();
    if (this.draft.edition) await this.#read(this.draft.edition);
    this.render();
  }

  /** Read what the book has. @param {string} edition */
  async #read(edition) {
    const [book, ruleset, written] = await Promise.all([bookOf(this.client, edition), this.client.ruleset(edition), this.client.sheetSchema(edition).catch(() => null)]);
    this.book = book;
    this.ruleset = ruleset;
    this.takes = written?.opening ?? { fields: [], terrain: [], light: [], spaces: {} };
  }

  /** Change the draft, and keep it. @param {Partial<Draft>} part */
  set(part) {
    this.draft = { ...this.draft, ...part };
    try {
      localStorage.setItem(DRAFT, JSON.stringify(this.draft));
    } catch { /* without storage a reload begins again */ }
    this.render();
  }

  /** Go to a step. @param {string} step */
  #go(step) {
    this.fault = this.note = "";
    this.set({ step });
  }

  /** @param {string} id @param {number[]} cell */
  #moved(id, cell) {
    this.set({ cast: this.draft.cast.map((each) => (each.id === id ? { ...each, position: cell } : each)) });
  }

  /** Return the creatures as a map shows them. @returns {Map<string, import("../client/contract.mjs").CreatureToken>} */
  get tokens() {
    return new Map(this.draft.cast.map((each) => [each.id, { id: each.id, name: each.name, side: each.side, kind: "", size: "", position: each.position, space: spaceOf(this.book, each.sheet), height_ft: 0, status: /** @type {const} */ ("active"), hp: this.#most(each), hp_max: this.#most(each), conditions: [], hidden: false, load: null, capacity: null, acts: false }]));
  }

  /** Return the hit points of a creature, as its sheet or the book has them. @param {import("./creatures.mjs").Member} creature @returns {number | null} */
  #most({ sheet }) {
    return sheet ? sheet.hp_max ?? this.book?.sheet?.properties.hp_max?.default ?? null : null;
  }

  /** Return the opening that the draft describes. */
  get opening() {
    const { edition, title, cast, sides, seats, options, terrain, walls, scenery } = this.draft;
    const used = sides.filter((side) => cast.some((each) => each.side === side));
    const has = (/** @type {string} */ name) => this.takes.fields.includes(name);
    return {
      edition, title: title || "A fight",
      ...(has("sides") ? { sides: used.length === 2 ? used : sides, player_side: (used[0] ?? sides[0]) } : {}),
      creatures: cast.map(({ id, name, side, position, sheet, carried, days_between: days }) => (carried ? { carried, position, ...(days ? { days_between: days } : {}) } : { position, sheet: { ...sheet, id, name, side } })),
      ...(Object.keys(terrain).length ? { terrain } : {}), ...(Object.keys(walls).length ? { walls } : {}),
      ...(has("scenery") && Object.keys(scenery).length ? { scenery } : {}),
      ...(seats.length ? { seats: seats.map(({ seat, creatures }) => ({ seat, role: "player", creatures })) } : {}),
      ...(Object.keys(options).length ? { options } : {}),
    };
  }

  render() {
    const { draft } = this;
    const at = STEPS.findIndex(([name]) => name === draft.step);
    const next = STEPS[at + 1];
    const isReady = draft.step !== "book" || Boolean(draft.edition);
    patch(this.place,
      html("ol", { class: "steps", key: "steps", "aria-label": "Steps" }, STEPS.map(([name, text], index) => html("li", { key: name }, button(`${index + 1} ${text}`, () => this.#go(name), {
        "aria-current": name === draft.step ? "step" : null, disabled: (index > 0 && !draft.edition) || Boolean(this.links) })))),
      html("section", { class: `step is-${draft.step}`, key: draft.step, "aria-label": STEPS[at][1] }, this.#asked()),
      html("div", { class: "foot", key: "foot" }, at > 0 && !this.links ? button("Back", () => this.#go(STEPS[at - 1][0])) : null,
        html("p", { class: this.fault ? "fault small" : "small soft", role: this.fault ? "alert" : "status" }, this.fault || this.note || this.#summary()),
        next ? button(`Next: ${next[1]}`, () => this.#go(next[0]), { class: "main next", disabled: !isReady }) : null));
    if (this.shown && this.shown !== draft.step) this.#enter(); // who uses a keyboard goes on at the top of the step
    this.shown = draft.step;
    if (draft.step === "map") this.ground.show(/** @type {HTMLElement} */ (this.place.querySelector(".canvas")), { tokens: this.tokens, terrain: draft.terrain, walls: draft.walls, scenery: draft.scenery });
  }

  /** Give the heading of the step the focus. */
  #enter() {
    const heading = /** @type {HTMLElement} */ (this.place.querySelector(".step h2"));
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  /** Return what the step asks. */
  #asked() {
    /** @type {Record<string, () => import("../shared/dom.mjs").Child | import("../shared/dom.mjs").Child[]>} */
    const steps = { book: () => this.#book(), creatures: () => this.#creatures(), map: () => this.#map(), seats: () => this.#seats(), open: () => this.#last() };
    return steps[this.draft.step]();
  }

  #summary() {
    const { cast, seats, edition } = this.draft;
    return edition ? `${cast.length} creature${cast.length === 1 ? "" : "s"}, ${seats.length} player${seats.length === 1 ? "" : "s"}` : "";
  }

  // --- the steps; each is named after what it asks ---------------------------------------------------------------

  #book() {
    return [html("h2", {}, "Which book do you play?"), html("div", { class: "books" }, this.books.map(({ edition, title, summary }) => html("button", { type: "button", key: edition, "aria-pressed": String(edition === this.draft.edition), onclick: () => this.#choose(edition) },
      html("b", {}, title), html("span", { class: "small" }, summary), html("span", { class: "soft small" }, edition)))),
    this.draft.cast.length ? html("p", { class: "small" }, "You have a draft. ", button("Begin again", () => { this.draft = fresh(); this.set({}); }, { class: "quiet" })) : null];
  }

  /** @param {string} edition */
  async #choose(edition) {
    if (edition !== this.draft.edition) this.draft = { ...fresh(), title: this.draft.title };
    await this.#read(edition);
    this.set({ edition, step: "creatures" });
  }

  #creatures() {
    return drawCreatures(this.#adding());
  }

  /** Return what the step of creatures reads and does. @returns {Parameters<typeof drawCreatures>[0]} */
  #adding() {
    return {
      draft: this.draft, book: this.book, wanted: this.wanted, editing: this.editing, faults: this.faults, client: this.client,
      search: (wanted) => { this.wanted = wanted; this.render(); }, edit: (id) => { this.editing = this.editing === id ? null : id; this.render(); },
      set: (part) => this.set(part), tell: (text, isFault = true) => { this.fault = isFault ? text : ""; this.note = isFault ? "" : text; this.render(); },
    };
  }

  #map() {
    return [html("h2", {}, "The map"), this.ground.tools(this.takes, this.draft, () => this.render()), html("div", { class: "canvas", key: "canvas", own: true }),
      html("label", { class: "drop-here", key: "file" }, "Drop a map here (.uvtt, .dd2vtt), or click: walls, doors and light come from the file, its picture stays in this browser",
        html("input", { type: "file", class: "visually-hidden", accept: ".uvtt,.dd2vtt,.df2vtt,.json", onchange: (event) => this.#file(event.target.files[0]) }))];
  }

  /** Take a map of another tool. @param {File | undefined} file */
  async #file(file) {
    const { edition } = this.draft;
    if (!file || !edition) return;
    try {
      const data = readObject(await file.text());
      const { image, ...rest } = data ?? {};
      // a picture stays here; what is no JSON goes as it is, so that the service says what it is
      const made = await this.client.importFile(image ? JSON.stringify(rest) : file, { edition, kind: "map" });
      const { terrain = {}, walls = {}, scenery = {} } = /** @type {Partial<Draft>} */ (made.part);
      const size = data?.resolution?.map_size;
      if (image && size) this.ground.picture(image, size.x, size.y);
      this.fault = "";
      const isDrawn = [this.draft.terrain, this.draft.walls].some((each) => Object.keys(each).length);
      this.note = `${file.name} is on the map${isDrawn ? ", in place of what was there" : ""}. ${sayNotes(made.notes)}`;
      this.set({ terrain, walls, scenery, picture: image && size ? { width: size.x, height: size.y } : null });
      this.ground.map.camera.fit();
    } catch (fault) {
      this.fault = `${file.name}: ${faultText(fault)}`;
      this.render();
    }
  }

  #seats() {
    const { draft, faults } = this;
    const held = new Map(draft.seats.flatMap((seat) => seat.creatures.map((id) => [id, seat.seat])));
    const names = namesOf(draft.cast);
    const change = (/** @type {number} */ index, /** @type {Partial<import("./creatures.mjs").Player>} */ part) => this.set({ seats: draft.seats.map((each, at) => (at === index ? { ...each, ...part } : each)) });
    return [html("h2", {}, "Who plays?"), draft.seats.length ? drawReach() : null,
      html("div", { class: "field", "data-field": "/title" }, html("label", { for: "title" }, "What the fight is called"), html("input", { id: "title", type: "text", maxlength: 200, placeholder: "A fight", value: draft.title, autocomplete: "off", oninput: (event) => this.set({ title: event.target.value }) })),
      draft.seats.map((seat, index) => html("article", { class: "card share", key: index },
        html("div", { class: "row" }, html("label", { for: `seat-${index}` }, "Player"), html("input", { id: `seat-${index}`, type: "text", maxlength: 24, value: seat.name, autocomplete: "off", oninput: (event) => change(index, { name: event.target.value, seat: idOf(event.target.value || `player-${index + 1}`, ["gm", ...draft.seats.filter((each) => each !== seat).map((each) => each.seat)]) }) }),
          button("Take out", () => this.set({ seats: draft.seats.filter((each) => each !== seat) }), { class: "quiet" })),
        html("div", { class: "row wrap" }, draft.cast.map(({ id }) => html("label", { class: "tick-box", key: id }, html("input", { type: "checkbox", checked: seat.creatures.includes(id), disabled: held.has(id) && held.get(id) !== seat.seat,
          onchange: (event) => change(index, { creatures: event.target.checked ? [...seat.creatures, id] : seat.creatures.filter((each) => each !== id) }) }), html("span", {}, names.get(id))))),
        [...faults].filter(([pointer]) => pointer.startsWith(`/seats/${index}`)).map(([pointer, text]) => html("p", { class: "fault small", role: "alert", key: pointer }, text)))),
      button(draft.seats.length ? "One more player" : "Add a player", () => { this.set({ seats: [...draft.seats, this.#player()] }); document.getElementById(`seat-${draft.seats.length}`)?.focus(); }, { class: "add-player" }),
      html("p", { class: "soft small" }, "Creatures that no player has are yours. You can seat players later too."),
      html("details", { key: "options", class: "options" }, html("summary", {}, `As your house plays it (${Object.keys(draft.options).length} changed)`), (this.ruleset?.options ?? []).map((option) => this.#option(option)))];
  }

  /** Return a new player, with a creature of the first side that nobody plays yet. */
  #player() {
    const number = this.draft.seats.length + 1;
    const held = new Set(this.draft.seats.flatMap((seat) => seat.creatures));
    const free = this.draft.cast.find((each) => each.side === this.draft.sides[0] && !held.has(each.id));
    return { name: "", seat: `player-${number}`, creatures: free ? [free.id] : [] };
  }

  /** @param {Option} option */
  #option({ key, values, text, bounds }) {
    const { options } = this.draft;
    const value = options[key] ?? values[0];
    const id = `option-${key}`;
    const take = (/** @type {unknown} */ chosen) => {
      const { [key]: _, ...rest } = options;
      this.set({ options: chosen === values[0] ? rest : { ...rest, [key]: chosen } });
    };
    const fault = this.faults.get(`/options/${key}`);
    return html("div", { class: "field", key }, html("label", { for: id }, capital(text)),
      bounds ? html("input", { id, type: "number", min: bounds[0], max: bounds[1], value, oninput: (event) => event.target.value !== "" && take(Number(event.target.value)) })
        : html("select", { id, onchange: (event) => take(values[event.target.selectedIndex]) }, values.map((each, index) => html("option", { key: index, value: String(each), selected: each === value }, typeof each === "boolean" ? (each ? "yes" : "no") : words(String(each))))),
      fault && html("p", { class: "fault small", role: "alert" }, fault));
  }

  #last() {
    if (this.links) return this.#opened(this.links);
    const { cast, seats, title, edition } = this.draft;
    const bySide = this.draft.sides.map((side) => `${capital(words(side))}: ${cast.filter((each) => each.side === side).map((each) => each.name).join(", ") || "nobody"}`);
    return [html("h2", {}, title || "A fight"), html("p", {}, this.books.find((each) => each.edition === edition)?.title), html("ul", {}, bySide.map((text) => html("li", {}, text))),
      html("p", {}, seats.length ? `Players: ${seats.map((each) => each.name || each.seat).join(", ")}` : "No players yet: you play every creature until you seat somebody."),
      [...this.faults].map(([pointer, text]) => html("p", { class: "fault", key: pointer }, button(words(pointer.slice(1).replaceAll("/", " ")), () => this.#go(PLACES[pointer.split("/")[1]] ?? "creatures"), { class: "quiet" }), ` ${text}`)),
      button("Open the fight", () => this.#open(), { class: "main open-fight", disabled: this.isOpening || !cast.length })];
  }

  async #open() {
    this.isOpening = true;
    this.fault = "";
    this.faults = new Map();
    this.render();
    try {
      const encounter = await this.client.open(/** @type {import("../client/contract.mjs").Opening} */ (/** @type {unknown} */ (this.opening)));
      await this.ground.keep(encounter.id, this.draft.picture ?? null);
      const links = [];
      for (const { seat, name } of this.draft.seats) {
        await encounter.token(seat);
        const { page } = await encounter.shareSeat(seat, { expires_in_s: LINK_S });
        const address = `${location.origin}${page}`;
        links.push({ address, label: `Link for ${name || seat}`, note: `Who has it plays for ${name || seat}, for a week.`, qr: await qrOf(this.client, address) });
      }
      this.links = { id: encounter.id, links };
      localStorage.removeItem(DRAFT);
    } catch (fault) {
      this.fault = capital(faultText(fault));
      this.faults = faultsOf(fault);
    }
    this.isOpening = false;
    this.render();
  }

  /** Show the links. @param {{id: string, links: Link[]}} opened */
  #opened(opened) {
    const { id, links } = opened;
    return [html("h2", {}, "The fight is open"), html("p", {}, links.length ? "Give each player a link. You find them again under Share." : "You play every creature. Seat players under Share."), links.length ? drawReach() : null,
      html("p", {}, html("a", { class: "button main go", href: `/encounters/${id}` }, "Go to the fight")),
      html("div", { class: "links" }, links.map((link, index) => drawLink(link, (said) => { links[index] = { ...link, said }; this.render(); })))];
  }
}

/** @param {string} [fault] */
const start = (fault) => {
  const place = at("main");
  const key = fault ? null : heldKey();
  if (key === null) askForKey(place, () => { place.replaceChildren(); start(); }, fault ?? "");
  else if (seatOf(key)) start("That is the token of a seat. A new fight needs an API key.");
  else new NewFight(place, client(key));
};

start();

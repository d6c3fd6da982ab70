// The page of a fight: it reads the record, follows it, and lets each part of the page draw what changed.
//
// The state is one store. `n` is the commit on screen; `isLive` keeps it at the newest one.

import { Problem } from "../client/rewound.mjs";
import { at, button, capital, faultText, html, put, say, words } from "../shared/dom.mjs";
import { keptPicture } from "../shared/pictures.mjs";
import { fragment, isAway, replaceFragment } from "../shared/session.mjs";
import { Store } from "../shared/store.mjs";
import { Act } from "./act.mjs";
import { branchesOf, mayRedo, takenBack } from "./branches.mjs";
import { Card, madeBy } from "./card.mjs";
import { Log } from "./log.mjs";
import { BattleMap } from "./map.mjs";
import { lettersOf, namesOf, tokensOf } from "./names.mjs";
import { perspectives, sayWhatIsSeen, viewer } from "./perspective.mjs";
import { evidence, markOf, nameOf, Proof, save } from "./proof.mjs";
import { FightRecord, lostIn, lostWith } from "./record.mjs";
import { Rulings } from "./rulings.mjs";
import { SealedChoices } from "./sealing.mjs";
import { Signing } from "./signing.mjs";
import { beginning, formOf, partsOf } from "./state.mjs";
import { tabsIn } from "./tabs.mjs";
import { Timeline } from "./timeline.mjs";
import { countOf, mayAsk, notify, turnOf } from "./turn.mjs";

/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */
/** @typedef {import("./state.mjs").Asked} Asked */
/** @typedef {import("./act.mjs").Command} Command */

const EMPTY = /** @type {import("./record.mjs").Tokens} */ (new Map());
const ACTORS = new Set(["gm", "player"]), AUDITING = new Set(["gm", "auditor"]);
const REST_MS = 120; // who drags the timeline rests: the log and the address follow
const RECENT = 3; // sentences of the log above the acts, where the log is not beside them
const LOST_MS = 600; // a connection that is back by then was not lost
const RETRY_MS = 1000;
const MOST_ROUNDS = 500;
const WIDE = "(min-width: 62.01rem)"; // as in fight.css: Act stands beside the log
const CLOSED = "Your seat has been closed by the gm, or its link has ended. What you see is how it was. Ask the gm for another link.";

/**
 * @typedef {object} Look how a fight is looked at
 * @property {import("./proof.mjs").Proving} proving
 * @property {string} [role] what may be done here, if it is less than the seat may do
 * @property {boolean} [isRecorded] nothing more will come
 */

/** Read what the first screen needs, and show the fight. @param {Encounter} encounter @param {Look} look */
export const open = async (encounter, look) => {
  const asked = { line: fragment().get("line") ?? undefined, seen_by: fragment().get("seen_by") ?? undefined };
  const record = new FightRecord(encounter, asked, look.isRecorded ? Infinity : undefined);
  const summary = /** @type {Promise<import("./state.mjs").About>} */ (encounter.client.get(encounter.path, { line: asked.line }));
  const reading = summary.then(({ version }) => record.read(version)); // it names the newest commit: nothing else is waited for
  reading.catch(() => {}); // who waits for it says why
  const [about, newest, { seat }, seats] = await Promise.all([
    summary,
    /** @type {Promise<import("../client/contract.mjs").CreatureTokens>} */ (encounter.client.get(`${encounter.path}/creatures`, asked)),
    encounter.options({ line: asked.line, prompt: "-" }), // no prompt has this name: the answer names the seat alone
    encounter.seats(),
  ]);
  for (const name of ["stage", "acts", "side", "timeline"]) at(name).hidden = false;
  const role = look.role ?? seats.find((each) => each.seat === seat)?.role ?? "gm";
  new Fight(encounter, asked, look, { about, newest, seat, role, seats, record, reading });
};

class Fight {
  /** @param {Encounter} encounter @param {Asked} asked @param {Look} look @param {import("./state.mjs").First} first */
  constructor(encounter, asked, look, first) {
    const { seat, role, seats, record, reading } = first;
    this.encounter = encounter;
    this.asked = asked;
    this.look = look;
    this.record = record;
    /** @type {Promise<void> | undefined} the first part of the record, which is being read */
    this.reading = reading;
    /** @type {Map<number, number>} the first commit of each round */
    this.rounds = new Map();
    this.marks = { rounds: this.#rounds(), parts: partsOf([]) };
    /** @type {((cell: number[]) => void) | null} takes the next cell that is clicked */
    this.pointing = null;
    /** @type {import("./gm.mjs").GameMaster | undefined} */
    this.gm = undefined;
    /** @type {import("./share.mjs").Share | undefined} */
    this.share = undefined;
    /** @type {import("./roster.mjs").Roster | undefined} */
    this.roster = undefined;
    /** @type {Promise<import("../client/contract.mjs").CommandTypes> | undefined} */
    this.commands = undefined;
    /** @type {Promise<void> | undefined} reads all of the record */
    this.all = undefined;
    /** @type {number | undefined} the commit that made the map on screen */
    this.mapAt = undefined;
    this.isFollowing = false;
    const wanted = Number(fragment().get("n")) || null;
    /** @type {Store<import("./state.mjs").State>} */
    this.store = new Store(beginning(first, wanted));
    const isGm = role === "gm";
    this.isOwn = !asked.line && !asked.seen_by; // the line that is played, as one's own seat sees it
    const panels = tabsIn(at("tabs"), at("panels"), /** @type {[string, string][]} */ ([
      ...(this.isOwn && ACTORS.has(role) ? [["act", "Act"]] : []), ["log", "Log"], ...(isGm && this.isOwn ? [["gm", "GM"]] : []), ["creatures", "Creatures"],
      ["rulings", "Rulings"], ["dice", "Statistics"], ["proof", "Proof"], ...(isGm && this.isOwn ? [["share", "Share"]] : []),
    ]), (name) => this.#opened(name));
    const wide = matchMedia(WIDE);
    const dock = () => panels.dock("act", wide.matches ? at("acts") : null);
    wide.addEventListener("change", dock);
    at("acts").hidden = !panels.act;
    this.map = new BattleMap(at("stage"), {
      picked: (id) => this.pick(id), chosen: (cell) => this.#chosen(cell),
      mayDrag: (id) => this.isOwn && this.act.mayMove(id), dragged: (id, cell) => this.#dragged(id, cell),
      foreseen: (id, cell) => this.#foreseen(this.act.leading(id, cell)),
    });
    this.card = new Card(asked.seen_by ? undefined : (id, member) => this.#whyIs(id, member), look.isRecorded ? undefined : (token) => this.#sheet(token));
    at("stage").append(this.card.node);
    const above = html("div", { class: "log-above" });
    this.rulings = new Rulings(panels.rulings, encounter, {
      above,
      shown: (n, line) => (line === this.line ? this.go(n) : this.visit({ line: line === this.store.state.about.line ? null : line, n })),
      compare: (moved) => { this.map.compare(moved); this.#listBranches(); },
      visit: (line) => this.visit({ line }), failed: () => panels.select("rulings"),
      type: (type) => this.#type(type),
      beforeLast: () => this.record.beforeLast,
      said: (n) => (this.record.entries[n - 1] ? lostWith(this.record.entries[n - 1]) : [`#${n}`]),
      lost: (to) => this.record.entries.slice(to).flatMap((each) => (each ? lostWith(each) : [])),
      form: () => formOf(this.store.state.newest),
    });
    this.log = new Log(panels.log, {
      shown: (n) => this.go(n),
      wanted: (n) => this.#need(n),
      all: () => this.#needAll(),
      why: asked.seen_by ? undefined : (n, place) => this.#explain(n, place),
      contest: ACTORS.has(role) && this.isOwn ? (n) => this.rulings.ask(n) : undefined,
    }, above);
    this.timeline = new Timeline(at("timeline"), { go: (n) => this.go(n), live: () => this.goLive(), branch: (to) => this.#branch(to) });
    this.act = new Act(panels.act ?? html("div"), {
      send: (command) => this.#send(command),
      sendAll: (commands) => this.#sendAll(commands),
      types: () => this.#types(),
      foreseen: (command) => this.encounter.preview(command).catch(() => null), // the form says less without it
      offer: ({ cells, path, creatures }) => {
        this.map.offer(cells, path);
        this.store.set({ targets: new Set(creatures) });
      },
      live: () => this.goLive(), clear: () => this.store.set({ selected: null }),
    });
    this.sealing = new SealedChoices(encounter, seat);
    const keyPlace = html("div"), tellPlace = html("div");
    this.act.below.append(tellPlace, keyPlace);
    if (panels.act && mayAsk()) tellPlace.append(button("Tell me when I am asked", () => Notification.requestPermission().then(() => tellPlace.replaceChildren()), { class: "quiet" }));
    if (panels.act && !look.isRecorded) this.signing = new Signing(keyPlace, encounter, seat, seats.find((each) => each.seat === seat)?.key ?? null);
    this.panels = panels;
    this.proof = new Proof(panels.proof, encounter, asked, look.proving, AUDITING.has(role), (verified) => this.store.set({ verified }));
    this.mark = button("", () => panels.select("proof"), { class: "chip mark-proof" });
    at("tools").prepend(this.mark);
    if (isGm) at("tools").prepend(perspectives(seats, asked, (to) => this.visit(to)));
    dock();
    if (wanted !== null) panels.select("log"); // a link to a commit shows what happened
    sayWhatIsSeen(asked, (to) => this.visit(to));
    this.#draws();
    addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    addEventListener("hashchange", () => this.#moved());
    if (!look.isRecorded) keptPicture(encounter.id).then((found) => found && this.map.drawPicture(URL.createObjectURL(found.blob), found.width, found.height));
    this.#start();
  }

  /** The line of play on screen. */
  get line() {
    return this.asked.line ?? this.store.state.about.line;
  }

  /** The scene on screen: the creatures after commit n. */
  get scene() {
    return this.record.scenes[this.store.state.n - 1];
  }

  /** The creatures on screen. */
  get tokens() {
    const { n, last, newest } = this.store.state;
    return this.scene?.tokens ?? (n === last ? newest : EMPTY);
  }

  /** Go to commit *n*. @param {number} n */
  go(n) {
    this.store.set({ n, isLive: false });
  }

  /** Go to the newest commit, and stay there. */
  goLive() {
    this.store.set({ n: this.store.state.last, isLive: true });
  }

  /** Look at another line of play, or as another seat sees it; null is one's own. @param {{line?: string | null, seen_by?: string | null, n?: number}} asked */
  visit({ n, ...asked }) {
    const parts = fragment();
    for (const [name, value] of Object.entries(asked)) {
      if (value === null || value === undefined) parts.delete(name);
      else parts.set(name, value);
    }
    if ("line" in asked) parts.delete("n"); // commits are numbered in each line
    if (n) parts.set("n", String(n));
    replaceFragment(parts);
    location.reload();
  }

  /** Go where a branch leads. @param {import("./branches.mjs").Branch["to"]} to */
  #branch({ encounter, n, line = null }) {
    if (encounter) location.assign(`/encounters/${encounter}${n ? `#n=${n}` : ""}`);
    else this.visit({ line, n });
  }

  /** Select a creature, or none. @param {string} id */
  pick(id) {
    if (this.act.pick(id)) return;
    const selected = this.store.state.selected === id ? null : id;
    this.store.set({ selected });
    if (selected && this.panels.act && this.panels.opened() === "log") this.panels.select("act"); // on a phone: what may be done to it
  }

  /** Take a cell that was clicked on the map. @param {number[]} cell */
  #chosen(cell) {
    if (!this.pointing) {
      this.act.choose(cell);
      return;
    }
    this.pointing(cell);
    this.pointing = null;
    this.map.hintAt("");
  }

  /** Take a creature that was dragged to a cell. @param {string} id @param {number[]} cell */
  #dragged(id, cell) {
    this.act.move(id, cell);
    this.panels.select("act");
  }

  /** Return the way of a movement, as the service foresees it; null for anything else. @param {Command | null} command @returns {Promise<import("./map.mjs").Foreseen | null>} */
  async #foreseen(command) {
    if (!command) return null;
    const { way } = await this.encounter.preview(command).catch(() => ({ way: null })); // the offer opens without it
    return way ?? null;
  }

  #draws() {
    const { store } = this;
    store.on(["about", "seat", "newest"], ({ about, seat, newest, role }) => {
      const names = new Map([...newest.values()].map((each) => [each.id, each.name]));
      const turn = turnOf(about, names, seat);
      const count = this.isOwn && ACTORS.has(role) ? countOf(about, seat) : 0;
      say(at("title"), about.title || "A fight");
      document.title = `${count ? "● Your turn · " : ""}${at("title").textContent} · Rewound`;
      const part = this.record.scenes.at(-1)?.part;
      const moment = [about.round ? `round ${about.round}` : "", part && words(part)].filter(Boolean).join(" · ");
      const parts = [about.edition, moment, about.status === "open" || about.winner !== null ? "" : about.status, role === "gm" && this.isOwn && !this.look.isRecorded ? "" : `seen as ${viewer(this.asked, seat)}`];
      say(at("status"), parts.filter(Boolean).join(" · "));
      say(at("moment"), capital(moment)); // on a phone, in place of the status
      put(at("turn"), { title: turn }); // it is cut where it has no place
      say(at("turn"), this.look.isRecorded ? "" : turn);
      at("turn").classList.toggle("is-mine", count > 0);
      this.panels.badge("act", count);
      if (count && !this.wasAsked) notify(turn);
      this.wasAsked = count > 0;
    });
    store.on(["n", "revision", "selected", "targets"], ({ n, last, selected, targets }) => {
      const isRead = Boolean(this.scene) || n === last;
      this.map.wait(!isRead); // it keeps what it shows until then
      if (isRead) {
        this.map.draw(this.tokens, selected, targets, Math.abs(n - (this.drawnAt ?? n)) <= 1);
        this.drawnAt = n;
      } else this.#need(n);
    });
    if (this.isOwn) store.on(["options", "selected", "isLive", "newest", "revision"], ({ options, about, selected, isLive, seat, newest, role }) => {
      this.act.draw({ options: options?.options ?? null, version: options?.version ?? 0, waiting: about.waiting, tokens: newest, letters: lettersOf(newest.values()), names: namesOf(newest.values()), selected, isLive, seat, isOver: about.closed, recent: this.record.recent(RECENT), unprompted: role === "gm" ? [] : options?.unprompted ?? [] });
      this.#drawGm();
    });
    store.on(["n", "verified"], ({ n, verified }) => {
      const [kind, text] = markOf(verified, n);
      put(this.mark, { class: `chip mark-proof ${kind}` });
      say(this.mark, text);
    });
    store.on(["n"], ({ n }) => this.rulings.go(n));
    store.on(["last", "role", "about", "lines", "contested"], ({ n, last, role, about, lines, newest }) => {
      this.rulings.lines = lines;
      this.rulings.draw({ isGm: role === "gm" && this.isOwn, mayRedo: mayRedo(about), isOver: about.closed, n, last, tokens: newest, names: this.log.names });
      this.panels.badge("rulings", role === "gm" && this.isOwn ? this.rulings.waiting : 0);
    });
    store.on(["n", "revision", "selected", "panel"], ({ panel }) => {
      if (panel === "creatures" && this.tokens !== EMPTY) this.#list(); // until then it keeps what it shows, as the map does
    });
    store.on(["n", "revision", "selected"], ({ selected }) => this.card.draw(selected === null ? undefined : this.tokens.get(selected)));
    store.on(["n", "revision"], () => this.#drawGround());
    store.on(["revision"], ({ isLive }) => {
      this.log.creatures([...(this.record.scenes.at(-1)?.tokens ?? this.tokens).values()]);
      this.log.draw(this.record, isLive && this.isFollowing);
    });
    store.on(["n", "revision"], ({ n }) => this.#rest(n));
    store.on(["isLost", "fault"], ({ isLost, fault }) => say(at("lost"), fault || (isLost ? "Connection lost, trying again" : "")));
    store.on(["revision"], () => { this.marks = { rounds: this.#rounds(), parts: partsOf(this.record.scenes) }; });
    store.on(["lines", "about", "revision"], ({ lines, about }) => this.log.fold(takenBack({ origin: about.origin ?? null, lines }).map(({ n, count, text, line }) => ({
      n, count, text, read: (most) => lostIn(this.encounter, line, n, most),
    }))));
    store.on(["lines", "forks", "about", "last"], ({ lines, forks, about, last }) => {
      this.timeline.drawBranches(branchesOf({ line: this.line, origin: about.origin ?? null, lines, forks }), last);
    });
    store.on(["n", "isLive", "revision", "about", "isLost"], ({ n, isLive, last, about, isLost }) => {
      this.timeline.draw({ n, last, isLive, isLost, isOver: about.closed || about.status === "continued" || Boolean(this.look.isRecorded), ...this.marks });
    });
  }

  /** Go to the commit that made a member of a creature what it is, and explain it. @param {string} id @param {import("./card.mjs").Member} member */
  async #whyIs(id, member) {
    const n = await madeBy(this.record, id, this.store.state.n, member);
    this.panels.select("log");
    this.go(n);
    this.log.mark(n);
    const place = this.log.beneath(n);
    if (place && !place.querySelector(".why")) this.#explain(n, place);
  }

  /** Have the log and the address follow: at once after a step, and else when the timeline rests. @param {number} n */
  #rest(n) {
    clearTimeout(this.resting);
    const follow = () => {
      this.rested = n;
      this.log.mark(n);
      const parts = fragment();
      if (this.store.state.isLive) parts.delete("n");
      else parts.set("n", String(n));
      if (parts.toString() !== fragment().toString()) replaceFragment(parts);
    };
    if (Math.abs(n - (this.rested ?? n)) <= 1) follow();
    else this.resting = setTimeout(follow, REST_MS);
  }

  /** Read what somebody looks at, and draw it. @param {number} n */
  #need(n) {
    if (this.record.last) this.record.ensure(n).then(() => this.#revised(), (fault) => this.#missed(fault));
  }

  /** Read all of the record, and draw it. */
  #needAll() {
    this.all ??= this.record.ensureAll().then(() => this.#revised(), (fault) => { this.all = undefined; this.#missed(fault); });
    return this.all;
  }

  /** @param {unknown} fault */
  #missed(fault) {
    if (!isAway(fault)) throw fault;
    setTimeout(() => this.#revised(), RETRY_MS); // what is drawn asks again
  }

  #revised() {
    this.store.set({ revision: this.store.state.revision + 1 });
  }

  /** Read what a panel shows, when it is opened. @param {string} name */
  #opened(name) {
    this.store?.set({ panel: name });
    if (name === "log") this.log?.reveal();
    if (name === "gm") this.#direct();
    if (name === "share") this.#hand();
    if (name === "dice") this.#count();
  }

  // What not everybody needs is loaded when somebody wants it.

  /** Show what the gm does without being asked. */
  async #direct() {
    const { encounter, panels, rulings } = this;
    const { GameMaster } = await import("./gm.mjs");
    this.gm ??= new GameMaster(panels.gm, encounter, {
      send: (command) => this.#send(command), types: () => this.#types(), point: (take) => { this.pointing = take; this.map.hintAt("Click a cell"); },
      undo: () => rulings.undo(this.record.beforeLast), redo: () => rulings.redo(), proof: () => { panels.select("proof"); this.proof.verify(); },
      replay: async () => {
        const { replayOf } = await import("./export.mjs");
        save(await replayOf(encounter, `${nameOf(encounter.id)}.jsonl`), "text/html", `${nameOf(encounter.id)}.html`);
      },
    });
    this.#drawGm();
  }

  #drawGm() {
    const { options, newest, selected, about, isLive } = this.store.state;
    this.gm?.draw({ unprompted: options?.unprompted ?? [], tokens: newest, names: namesOf(newest.values()), selected, edition: about.edition, isLive, mayRedo: mayRedo(about), isOver: about.closed });
  }

  async #list() {
    const { Roster } = await import("./roster.mjs");
    (this.roster ??= new Roster(this.panels.creatures, (id) => this.pick(id))).draw(this.tokens, this.store.state.selected);
  }

  /** Explain commit *n* in *place*, from where each of its dice can be recomputed here. @param {number} n @param {HTMLElement} place */
  async #explain(n, place) {
    const { explain } = await import("./why.mjs");
    const { encounter, asked, look: { proving } } = this;
    explain(encounter, asked, n, place, this.log.names, async (roll) => proving.steps({ n, roll, line: asked.line }, ...await evidence(encounter, asked, proving)));
  }

  /** Show what is handed out: links and seats. */
  async #hand() {
    const { Share } = await import("./share.mjs");
    this.share ??= new Share(this.panels.share, this.encounter, () => this.store.state.newest);
    this.share.refresh();
  }

  /** Show the sheet of a creature, as it is in the moment on screen. @param {import("../client/contract.mjs").CreatureToken} token */
  async #sheet(token) {
    const { n, last, about } = this.store.state;
    const { showSheet } = await import("./sheet.mjs");
    showSheet(this.encounter, n < last ? { ...this.asked, at: n } : this.asked, about.edition, token);
  }

  async #count() {
    const [{ dice }, { creatures }] = await Promise.all([
      /** @type {Promise<import("../client/contract.mjs").RollStatistics>} */ (this.encounter.client.get(`${this.encounter.path}/rolls/statistics`, { line: this.asked.line })), this.encounter.creatureStatistics(this.asked)]);
    const { drawStatistics } = await import("./statistics.mjs");
    drawStatistics(this.panels.dice, dice, creatures, this.log.names);
  }

  /** Return the first commit of each round: as the service lists them, and as the record shows them. */
  #rounds() {
    const { scenes } = this.record;
    scenes.forEach(({ n, round }) => {
      if (round && (n === 1 || (scenes[n - 2] && scenes[n - 2].round !== round))) this.rounds.set(round, n);
    });
    return [...this.rounds].map(([round, first]) => ({ round, first })).sort((a, b) => a.first - b.first);
  }

  async #drawGround() {
    const scene = this.scene;
    if (!scene) {
      if (this.store.state.n === this.store.state.last) this.map.frame(this.tokens.values());
    } else if (this.mapAt !== scene.mapAt) {
      this.mapAt = scene.mapAt;
      const ground = await this.record.map(scene);
      if (this.mapAt === scene.mapAt) this.map.drawGround(ground, this.tokens.values());
    }
  }

  /** Read the record and follow it, again and again while the service does not answer. */
  async #start() {
    for (let isOver = false; !isOver;) {
      try {
        const { n, isLive, about } = this.store.state;
        const { reading } = this;
        this.reading = undefined;
        await (reading ?? this.record.read(about.version));
        if (!isLive && n < this.record.last) await this.record.ensure(n);
        this.#arrived();
        this.#listRounds();
        this.#listBranches();
        await this.#refresh();
        isOver = this.look.isRecorded || await this.#follow();
      } catch (fault) {
        if (isAway(fault)) await this.#waited();
        else if (fault instanceof Problem && fault.status === 401) {
          this.store.set({ fault: CLOSED, isLost: true, about: { ...this.store.state.about, waiting: [] }, options: { options: [], version: this.store.state.last } });
          isOver = true;
        } else {
          this.store.set({ fault: faultText(fault) });
          throw fault;
        }
      }
    }
  }

  /** Say that the connection is lost, wait, and go on from the line that is played by then. */
  async #waited() {
    this.#connected(false);
    await new Promise((done) => { setTimeout(done, RETRY_MS); });
    const { line } = await this.encounter.about().catch(() => this.store.state.about);
    if (!this.asked.line && line !== this.store.state.about.line) await this.#goOn();
  }

  /** Show the line of play that is played now, in place of the one on screen: nothing that a person writes is lost. */
  async #goOn() {
    const [about, creatures, lines] = await Promise.all([this.encounter.about(), this.encounter.creatures({ seen_by: this.asked.seen_by }), this.encounter.lines()]);
    this.record = new FightRecord(this.encounter, this.asked);
    this.rounds.clear();
    this.log.clear();
    this.mapAt = undefined;
    this.drawnAt = undefined;
    this.all = undefined;
    this.rested = undefined;
    this.store.set({ about, newest: tokensOf(creatures), lines, n: about.version, last: about.version, isLive: true, verified: null, revision: this.store.state.revision + 1 });
  }

  /** Say whether the service is reached, and read what may have changed when it is reached again. @param {boolean} isConnected */
  #connected(isConnected) {
    clearTimeout(this.losing);
    if (!isConnected) this.losing = setTimeout(() => this.store.set({ isLost: true }), LOST_MS);
    else if (this.store.state.isLost) {
      this.store.set({ isLost: false });
      this.#refreshSoon();
    }
  }

  /** Follow what is new; returns true when nothing more will come in this line. */
  async #follow() {
    this.isFollowing = true;
    const connected = (/** @type {boolean} */ isConnected) => this.#connected(isConnected);
    for await (const { event, data } of this.encounter.stream({ after: this.record.last, line: this.asked.line, text: "en", connected })) {
      if (event === "commit") {
        await this.record.take(data);
        this.#arrived();
        this.#refreshSoon();
        if (this.record.entries.at(-1)?.commit.events.some((/** @type {{type?: string}} */ { type }) => type?.startsWith("amendment_"))) this.#listBranches();
      } else if (event === "continued" || event === "reset") {
        if (this.asked.line && event !== "reset") return true; // a line that ended stays on screen
        await this.#goOn();
        return false;
      }
    }
    return true;
  }

  /** Read where rounds begin: they are marks on the timeline, and most of the record is not read yet. */
  async #listRounds() {
    const { client, path } = this.encounter;
    const { rounds } = await /** @type {Promise<import("../client/contract.mjs").Rounds>} */ (client.get(`${path}/rounds`, { line: this.asked.line, limit: MOST_ROUNDS })).catch(() => ({ rounds: [] }));
    for (const { round, first } of rounds) this.rounds.set(round, first);
    this.#revised();
  }

  /** Read the lines of play and the forks: branches of the timeline. */
  async #listBranches() {
    const [lines, forks] = await Promise.all([this.encounter.lines().catch(() => []), this.encounter.forks().catch(() => [])]); // a file has none
    this.store.set({ lines, forks });
  }

  #arrived() {
    const { revision, isLive, n } = this.store.state;
    const { last } = this.record;
    const newest = this.record.scenes[last - 1]?.tokens ?? this.store.state.newest;
    this.store.set({ revision: revision + 1, last, newest, n: isLive ? last : Math.min(n, last) });
  }

  /** Read again what only the newest commit has, until the service answers. */
  #refreshSoon() {
    this.#refresh().catch((fault) => {
      if (isAway(fault)) setTimeout(() => this.#refreshSoon(), RETRY_MS);
      else if (fault instanceof Problem && fault.status === 401) this.store.set({ fault: CLOSED, isLost: true });
    });
  }

  /** Read again what only the newest commit has: the summary, if it is of an earlier one, and what may be done. */
  async #refresh() {
    const { last } = this.record;
    const { about: known } = this.store.state;
    const line = { line: this.asked.line };
    const [about, options] = await Promise.all([
      known.version === last ? known : /** @type {Promise<import("./state.mjs").About>} */ (this.encounter.client.get(this.encounter.path, line)), this.encounter.options({ ...line, text: "en", ...(this.isOwn && ACTORS.has(this.store.state.role) && !this.look.isRecorded ? { view: "full" } : {}) })]);
    if (last === this.record.last) this.store.set({ about, options: { ...options, options: this.sealing.offered(options.options) } });
    await this.rulings.refresh();
    this.store.set({ contested: this.rulings.waiting });
  }

  /** @param {Command} command */
  async #send(command) {
    this.store.set({ isLive: true });
    await this.signing?.ready;
    return this.encounter.send(await this.sealing.sent(command));
  }

  /** Send several commands in one request, each decided for itself: a secret choice is refused otherwise. @param {Command[]} commands */
  async #sendAll(commands) {
    this.store.set({ isLive: true });
    await this.signing?.ready;
    /** @type {Command[]} */
    const sent = [];
    for (const command of commands) sent.push(await this.sealing.sent(command));
    return this.encounter.send(sent, { continueOnRefusal: true });
  }

  /** Return the types of commands of this edition, with their schemas and texts. */
  async #types() {
    this.commands ??= this.encounter.client.commands(this.store.state.about.edition);
    return (await this.commands).commands;
  }

  /** Return a type of command; null if the edition has none of this name. @param {string} name */
  async #type(name) {
    return (await this.#types()).find((each) => each.type === name) ?? null;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    const isTyping = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY|A)$/.test(target.tagName) || target.closest?.("svg, [role=tablist]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.timeline.key(event)) event.preventDefault();
  }

  #moved() {
    const parts = fragment();
    if (parts.get("key") || /** @type {const} */ (["line", "seen_by"]).some((name) => (parts.get(name) ?? undefined) !== this.asked[name])) location.reload();
    const n = Number(parts.get("n"));
    if (n >= 1 && n <= this.record.last && n !== this.store.state.n) this.go(n);
  }
}

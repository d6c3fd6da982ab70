// The page of a fight: it reads the record, follows it, and lets each part of the page draw what changed.
//
// The state is one store. `n` is the commit on screen; `isLive` keeps it at the newest one.

import { AGAIN } from "../client/requests.mjs";
import { Problem, Unreachable } from "../client/rewound.mjs";
import { at, button, html, put, say, show } from "../shared/dom.mjs";
import { fragment, replaceFragment } from "../shared/session.mjs";
import { Store } from "../shared/store.mjs";
import { Act } from "./act.mjs";
import { branchesOf } from "./branches.mjs";
import { drawCard, madeBy } from "./card.mjs";
import { Log } from "./log.mjs";
import { BattleMap } from "./map.mjs";
import { markOf, Proof } from "./proof.mjs";
import { FightRecord } from "./record.mjs";
import { drawRoster } from "./roster.mjs";
import { Rulings } from "./rulings.mjs";
import { SealedChoices } from "./sealing.mjs";
import { Share } from "./share.mjs";
import { Signing } from "./signing.mjs";
import { drawStatistics } from "./statistics.mjs";
import { tabsIn } from "./tabs.mjs";
import { Timeline } from "./timeline.mjs";
import { explain } from "./why.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */

const EMPTY = new Map();
const ACTORS = new Set(["gm", "player"]);
const AUDITING = new Set(["gm", "auditor"]);
const AS = { "*": "everybody" };
const REST_MS = 120; // who drags the timeline rests: the log and the address follow
const LOST_MS = 600; // a connection that is back by then was not lost
const RETRY_MS = 1000;
const MOST_ROUNDS = 500;

/** Return whether a request failed because the service did not answer, or not yet. @param {unknown} fault */
const isAway = (fault) => fault instanceof Unreachable || (fault instanceof Problem && AGAIN.has(fault.status));

/**
 * @typedef {object} Look how a fight is looked at
 * @property {import("./proof.mjs").Proving} proving
 * @property {string} [role] what may be done here, if it is less than the seat may do
 * @property {boolean} [isRecorded] nothing more will come
 */

/** Read what the first screen needs, and show the fight. @param {import("../client/rewound.mjs").Encounter} encounter @param {Look} look */
export const open = async (encounter, look) => {
  const asked = { line: fragment().get("line") ?? undefined, as: fragment().get("as") ?? undefined };
  const [about, newest, { seat }, seats] = await Promise.all([
    encounter.client.get(encounter.path, { line: asked.line }), encounter.client.get(`${encounter.path}/creatures`, asked),
    encounter.options({ line: asked.line, prompt: "-" }), // no prompt has this name: the answer names the seat alone
    encounter.seats(),
  ]);
  for (const name of ["stage", "side", "timeline"]) at(name).hidden = false;
  const role = look.role ?? seats.find((each) => each.seat === seat)?.role ?? "gm";
  new Fight(encounter, asked, look, { about, newest, seat, role, seats });
};

class Fight {
  constructor(encounter, asked, look, { about, newest, seat, role, seats }) {
    Object.assign(this, { encounter, asked, look });
    this.record = new FightRecord(encounter, asked, look.isRecorded ? Infinity : undefined);
    this.rounds = new Map();
    const wanted = Number(fragment().get("n")) || null;
    this.store = new Store({
      about, seat, role, n: wanted ?? about.version, isLive: wanted === null, last: about.version, revision: 0, selected: null, panel: "log",
      options: null, targets: new Set(), verified: null, lines: [], forks: [],
      newest: new Map(newest.creatures.map((each) => [each.id, each])), fault: "", isLost: false,
    });
    const isGm = role === "gm";
    this.isOwn = !asked.line && !asked.as; // the line that is played, as one's own seat sees it
    const panels = tabsIn(at("tabs"), at("panels"), [
      ["log", "Log"], ...(this.isOwn && ACTORS.has(role) ? [["act", "Act"]] : []), ["creatures", "Creatures"],
      ["rulings", "Rulings"], ["dice", "Statistics"], ["proof", "Proof"], ...(isGm && this.isOwn ? [["share", "Share"]] : []),
    ], (name) => this.#opened(name));
    this.map = new BattleMap(at("stage"), { picked: (id) => this.pick(id), chosen: (cell) => this.act.choose(cell) });
    this.card = html("div", { id: "card", class: "row", role: "group", "aria-label": "The selected creature", hidden: true });
    at("stage").append(this.card);
    this.rulings = new Rulings(panels.rulings, encounter, {
      changed: () => location.reload(),
      shown: (n, line) => (line === this.line ? this.go(n) : this.visit({ line: line === this.store.state.about.line ? null : line, n })),
      compare: (moved) => this.map.compare(moved),
      visit: (line) => this.visit({ line }),
    });
    this.log = new Log(panels.log, {
      shown: (n) => this.go(n),
      wanted: (n) => this.#need(n),
      all: () => this.#needAll(),
      why: asked.as ? undefined : (n, place) => explain(this.encounter, this.asked, n, place, this.log.names),
      contest: ACTORS.has(role) && this.isOwn ? (n, place) => this.rulings.ask(n, place) : undefined,
    });
    this.timeline = new Timeline(at("timeline"), { go: (n) => this.go(n), live: () => this.goLive(), branch: (to) => this.#branch(to) });
    this.act = new Act(panels.act ?? html("div"), {
      send: (command) => this.#send(command),
      schema: (type) => this.#schema(type),
      offer: ({ cells, path, creatures }) => {
        this.map.offer(cells, path);
        this.store.set({ targets: new Set(creatures) });
      },
      live: () => this.goLive(),
    });
    this.sealing = new SealedChoices(encounter, seat);
    if (panels.act && !look.isRecorded) this.signing = new Signing(this.act.below, encounter, seat, seats.find((each) => each.seat === seat)?.key ?? null);
    this.panels = panels;
    new Proof(panels.proof, encounter, asked, look.proving, AUDITING.has(role), (verified) => this.store.set({ verified }));
    if (panels.share) this.share = new Share(panels.share, encounter);
    this.mark = button("", () => panels.select("proof"), { class: "chip mark-proof" });
    at("tools").prepend(this.mark);
    if (isGm) at("tools").prepend(this.#perspectives(seats));
    this.#sayWhatIsSeen();
    this.#draws();
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("hashchange", () => this.#moved());
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

  /** Look at another line of play, or as another seat sees it; null is one's own. @param {{line?: string | null, as?: string | null, n?: number}} asked */
  visit({ n, ...asked }) {
    const parts = fragment();
    for (const [name, value] of Object.entries(asked)) {
      if (value === null) parts.delete(name);
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
    this.store.set({ selected: this.store.state.selected === id ? null : id });
  }

  #draws() {
    const { store } = this;
    store.on(["about", "fault", "seat"], ({ about, fault, seat }) => {
      document.title = `${about.title || "A fight"} · Rewound`;
      at("title").textContent = about.title || "A fight";
      const parts = [about.edition, about.round ? `round ${about.round}` : "", about.winner === null ? about.status : `${about.winner} won`, `seen as ${this.asked.as ? AS[this.asked.as] ?? this.asked.as : seat}`, fault];
      at("status").textContent = parts.filter(Boolean).join(" · ");
    });
    store.on(["n", "revision", "selected", "targets"], ({ n, last, selected, targets }) => {
      const isRead = Boolean(this.scene) || n === last;
      this.map.wait(!isRead); // it keeps what it shows until then
      if (isRead) {
        this.map.draw(this.tokens, selected, targets, Math.abs(n - (this.drawnAt ?? n)) <= 1);
        this.drawnAt = n;
      } else this.#need(n);
    });
    if (this.isOwn) store.on(["options", "selected", "isLive"], ({ options, about, selected, isLive, seat }) =>
      this.act.draw({ options: options?.options ?? null, version: options?.version ?? 0, waiting: about.waiting, tokens: this.tokens, selected, isLive, seat }));
    store.on(["n", "verified"], ({ n, verified }) => {
      const [kind, text] = markOf(verified, n);
      put(this.mark, { class: `chip mark-proof ${kind}` });
      say(this.mark, text);
    });
    store.on(["n", "last", "role", "about", "panel", "lines"], ({ n, last, role, panel, lines }) => {
      this.rulings.lines = lines;
      this.rulings.draw({ isGm: role === "gm" && this.isOwn, n, last, tokens: this.tokens }, panel === "rulings");
    });
    store.on(["n", "revision", "selected", "panel"], ({ selected, panel }) => {
      if (panel === "creatures") drawRoster(this.panels.creatures, this.tokens, selected, (id) => this.pick(id));
    });
    store.on(["n", "revision", "selected"], ({ selected }) => {
      if (selected || !this.card.hidden) drawCard(this.card, this.tokens.get(selected), this.asked.as ? undefined : (member) => this.#whyIs(selected, member));
    });
    store.on(["n", "revision"], () => this.#drawGround());
    store.on(["revision"], ({ isLive }) => {
      this.log.creatures([...(this.record.scenes.at(-1)?.tokens ?? this.tokens).values()]);
      this.log.draw(this.record, isLive && this.isFollowing);
    });
    store.on(["n", "revision"], ({ n }) => this.#rest(n));
    store.on(["isLost"], ({ isLost }) => { at("lost").textContent = isLost ? "Connection lost, trying again" : ""; });
    store.on(["revision"], () => { this.marks = { rounds: this.#rounds(), parts: this.#parts() }; });
    store.on(["lines", "forks", "about", "last"], ({ lines, forks, about, last }) => {
      this.timeline.drawBranches(branchesOf({ line: this.line, origin: about.origin ?? null, lines, forks }), last);
    });
    store.on(["n", "isLive", "revision", "about", "isLost"], ({ n, isLive, last, about, isLost }) => {
      this.timeline.draw({ n, last, isLive, isLost, isOver: about.closed || about.status === "continued" || this.look.isRecorded, ...this.marks });
    });
  }

  /** Go to the commit that made a member of a creature what it is, and explain it. @param {string} id @param {import("./card.mjs").Member} member */
  async #whyIs(id, member) {
    const n = await madeBy(this.record, id, this.store.state.n, member);
    this.panels.select("log");
    this.go(n);
    this.log.mark(n);
    const place = this.log.beneath(n);
    if (place && !place.querySelector(".why")) explain(this.encounter, this.asked, n, place, this.log.names);
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

  #missed(fault) {
    if (!isAway(fault)) throw fault;
    setTimeout(() => this.#revised(), RETRY_MS); // what is drawn asks again
  }

  #revised() {
    this.store.set({ revision: this.store.state.revision + 1 });
  }

  /** Return a choice of whose view is shown. */
  #perspectives(seats) {
    const others = seats.filter((each) => each.seat !== "gm" && !each.closed).map((each) => [each.seat, each.seat]);
    const pick = html("select", { "aria-label": "Seen as", onchange: () => this.visit({ as: pick.value || null }) },
      [["", "my own view"], ["*", "everybody"], ...others].map(([value, text]) => html("option", { value, selected: value === (this.asked.as ?? "") }, text)));
    return html("label", { class: "row small" }, html("span", { class: "label" }, "Seen as"), pick);
  }

  /** Read what a panel shows, when it is opened. @param {string} name */
  #opened(name) {
    this.store.set({ panel: name });
    if (name === "share") this.share.refresh();
    if (name === "dice") this.#count();
  }

  async #count() {
    const [{ dice }, { creatures }] = await Promise.all([
      this.encounter.client.get(`${this.encounter.path}/rolls/statistics`, { line: this.asked.line }), this.encounter.creatureStatistics(this.asked)]);
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

  /** Return the parts of rounds, as far as the record has been read. */
  #parts() {
    const found = [];
    this.record.scenes.forEach(({ n, part }) => {
      const before = found.at(-1);
      if (before && before.part === part && before.last === n - 1) before.last = n;
      else if (part) found.push({ part, first: n, last: n });
    });
    return found;
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
        await this.record.read(about.version);
        if (!isLive && n < this.record.last) await this.record.ensure(n);
        this.#arrived();
        this.#listRounds();
        this.#listBranches();
        await this.#refresh();
        isOver = this.look.isRecorded || await this.#follow();
      } catch (fault) {
        if (isAway(fault)) await this.#waited();
        else {
          this.store.set({ fault: fault.message });
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
    if (!this.asked.line && line !== this.store.state.about.line) location.reload();
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
    const connected = (isConnected) => this.#connected(isConnected);
    for await (const { event, data } of this.encounter.stream({ after: this.record.last, line: this.asked.line, text: "en", connected })) {
      if (event === "commit") {
        await this.record.take(data);
        this.#arrived();
        this.#refreshSoon();
        if (this.record.entries.at(-1)?.commit.events.some(({ type }) => type?.startsWith("amendment_"))) this.#listBranches();
      } else if (event === "continued" || event === "reset") {
        if (event === "reset" || !this.asked.line) location.reload(); // a line that ended stays on screen
        return true;
      }
    }
    return true;
  }

  /** Read where rounds begin: they are marks on the timeline, and most of the record is not read yet. */
  async #listRounds() {
    const { client, path } = this.encounter;
    const { rounds } = await client.get(`${path}/rounds`, { line: this.asked.line, limit: MOST_ROUNDS }).catch(() => ({ rounds: [] }));
    for (const { round, first } of rounds) this.rounds.set(round, first);
    this.#revised();
  }

  /** Read the lines of play and the forks: branches of the timeline. */
  async #listBranches() {
    const [lines, forks] = await Promise.all([this.encounter.lines(), this.encounter.forks()].map((asked) => asked.catch(() => []))); // a file has none
    this.store.set({ lines, forks });
  }

  #arrived() {
    const { revision, isLive, n } = this.store.state;
    const { last } = this.record;
    this.store.set({ revision: revision + 1, last, n: isLive ? last : Math.min(n, last) });
  }

  /** Read again what only the newest commit has, until the service answers. */
  #refreshSoon() {
    this.#refresh().catch((fault) => {
      if (isAway(fault)) setTimeout(() => this.#refreshSoon(), RETRY_MS);
    });
  }

  /** Read again what only the newest commit has: the summary, and what may be done. */
  async #refresh() {
    const { last } = this.record;
    const line = { line: this.asked.line };
    const [about, options] = await Promise.all([this.encounter.client.get(this.encounter.path, line), this.encounter.options(line)]);
    if (last === this.record.last) this.store.set({ about, options: { ...options, options: this.sealing.offered(options.options) } });
    await this.rulings.refresh();
  }

  async #send(command) {
    this.store.set({ isLive: true });
    await this.signing?.ready;
    return this.encounter.send(await this.sealing.sent(command));
  }

  async #schema(type) {
    this.commands ??= this.encounter.client.commands(this.store.state.about.edition);
    return (await this.commands).commands.find((each) => each.type === type).schema;
  }

  #key(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY|A)$/.test(event.target.tagName) || event.target.closest?.("svg, [role=tablist]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.timeline.key(event)) event.preventDefault();
  }

  /** Say that this is not one's own view of the line that is played. */
  #sayWhatIsSeen() {
    const { line, as } = this.asked;
    if (this.isOwn) return;
    const said = [line && "This is another line of play than the one that is played.", as && `This is what ${AS[as] ?? as} may see, as far as you may see it too.`];
    at("main").prepend(html("p", { class: "banner", role: "note" }, said.filter(Boolean).join(" "), " ",
      button("Back", () => this.visit({ line: null, as: null }))));
  }

  #moved() {
    const parts = fragment();
    if (parts.get("key") || ["line", "as"].some((name) => (parts.get(name) ?? undefined) !== this.asked[name])) location.reload();
    const n = Number(parts.get("n"));
    if (n >= 1 && n <= this.record.last && n !== this.store.state.n) this.go(n);
  }
}

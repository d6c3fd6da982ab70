// Run the Foundry module in node, in the small Foundry of foundry_platform.mjs, against a real service.
//
// Arguments: what is done, the service's address, an encounter, an API key of its gm. Settings that an earlier run has
// left come as JSON from standard input. What happened is printed as JSON.

import { readFileSync } from "node:fs";

import { eventsOf } from "../../clients/javascript/events.mjs";
import { begin, call, click, failing, log, person, seen } from "./foundry_platform.mjs";

const MODULE = "../../docs/integrations/foundry/rewound";
const [what, address, encounter, token] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(new URL(`${MODULE}/${name}`, import.meta.url), "utf-8"));
const told = readFileSync(0, "utf-8");
const kept = { address, encounter, token, ...(told && JSON.parse(told)) };
const manifest = read("module.json");
const texts = Object.assign({}, ...manifest.languages.map(({ path }) => read(path)));

// --- a network that can be cut, and pauses that are short -----------------------------------------------------

const PATIENCE_MS = 60_000;
const realTimeout = setTimeout;
const isOfModule = () => new Error().stack.includes("/foundry/rewound/");
globalThis.setTimeout = (run, ms, ...more) => realTimeout(run, isOfModule() ? Math.min(ms, 5) : ms, ...more);
/** Wait until it is so; after a minute say what never was. */
const until = async (done) => {
  const last = Date.now() + PATIENCE_MS;
  while (!done()) {
    if (Date.now() > last) throw new Error(`never: ${done}; told: ${seen.told}; last done: ${JSON.stringify(log.slice(-5))}`);
    await new Promise((go) => { realTimeout(go, 20); });
  }
};

const network = { isDown: false, requests: [], held: null };
const realFetch = fetch;
const sent = [];
globalThis.fetch = async (url, how) => {
  network.requests.push(`${how?.method ?? "GET"} ${new URL(url).pathname.split("/").slice(4).join("/")}`);
  if (network.isDown) throw new TypeError("fetch failed");
  if (network.held && url.endsWith("/creatures")) await network.held;
  if (url.endsWith("/commands") && how?.method === "POST") sent.push({ command: JSON.parse(how.body) });
  return realFetch(url, how);
};
const streams = new Set();
globalThis.EventSource = class {
  #listeners = {};
  #stopping = new AbortController();

  constructor(url) {
    streams.add(this);
    this.#run(url).catch(() => {}).then(() => { if (!this.#stopping.signal.aborted) this.lose(); });
  }

  addEventListener(name, run) { this.#listeners[name] = run; }
  close() { streams.delete(this); this.#stopping.abort(); }
  lose() { if (!this.#stopping.signal.aborted) this.#listeners.error?.({}); }

  async #run(url) {
    const response = await fetch(url, { headers: { Accept: "text/event-stream" }, signal: this.#stopping.signal });
    if (!response.ok) return;
    this.#listeners.open?.({});
    for await (const { event, data } of eventsOf(response.body)) {
      if (!this.#stopping.signal.aborted) this.#listeners[event]?.({ data: JSON.stringify(data) });
    }
  }
};
const cut = () => { network.isDown = true; for (const stream of [...streams]) stream.lose(); };

// --- the world ----------------------------------------------------------------------------------------------

const bar1 = { attribute: "attributes.hp" };
const bound = (creature) => (kept.isBound ? { rewound: { encounter, creature } } : {});
const ford = {
  _id: "ford", name: "Ford", width: 2050, height: 1500, grid: { size: 100, distance: 5, units: "ft" },
  tokens: [
    { _id: "t1", name: "A hero", x: 0, y: 0, actorId: "a1", actorLink: true, bar1, flags: bound("pia") },
    { _id: "t2", name: "Goblin", x: 0, y: 0, actorId: "a2", bar1, flags: bound("gob-1") },
    { _id: "t3", name: "Goblin", x: 0, y: 0, actorId: "a2", bar1: { attribute: "hits" }, flags: bound("gob-2") },
    { _id: "t4", name: "Pia", x: 7, y: 7 },
  ],
  walls: [{ _id: "w1", c: [1000, 400, 1000, 500], door: 1 }, { _id: "w2", c: [0, 0, 100, 0] }],
};
const overview = {
  _id: "overview", name: "Overview", width: 1000, height: 1000, padding: 0, grid: { size: 50, distance: 3, units: "m" },
  tokens: [{ _id: "o1", name: "Pia", x: 0, y: 0, actorId: "a1", actorLink: true, bar1, flags: { rewound: { encounter, creature: "pia" } } }],
};
const system = () => ({ attributes: { hp: { value: 1, max: 1 } }, hits: 1 });
begin({
  scenes: [ford, overview],
  actors: [{ _id: "a1", name: "Pia", system: system() }, { _id: "a2", name: "Goblin", system: system() }],
  kept, texts, folder: manifest.id,
});
await import(`${MODULE}/${manifest.esmodules[0]}`);
call("init");
call("ready");
const { api } = game.modules.get(manifest.id);
const chat = () => [...game.messages].map(({ content }) => content);
const rule = (decision, ...effects) => api.ask("POST", "/commands", { type: "gm_ruling", kind: "environment", decision, effects });
const isPosted = async () => {
  const { version } = await api.ask("GET", "");
  await until(() => kept.last.n >= version);
};
const tokens = () => [...game.scenes].flatMap((scene) => [...scene.tokens].map(({ id, x, y, elevation }) => [id, x, y, elevation]));
const at = (id) => tokens().find(([name]) => name === id).slice(1);
const walls = () => [...canvas.scene.walls].map(({ c, door, ds }) => [...c, door, ds]);
const effects = (id) => [...canvas.scene.tokens.get(id).actor.effects].map(({ name, img, showIcon }) => [name, img, showIcon]);
const tracked = () => [...game.combats].map((combat) => ({
  round: combat.round, turn: combat.combatant?.tokenId ?? null,
  fighting: combat.turns.map(({ tokenId, defeated }) => [tokenId, defeated]),
}));
const bind = async (creatures) => {
  canvas.tokens.controlled = Object.keys(creatures).map((id) => ({ document: canvas.scene.tokens.get(id) }));
  const { creatures: all } = await api.ask("GET", "/creatures");
  const before = person.answer;
  person.answer = () => Object.fromEntries(Object.entries(creatures).map(([id, name]) => [id, all.findIndex((each) => each.id === name) + 1]));
  await api.bind();
  person.answer = before;
};
const ALL = { t1: "pia", t2: "gob-1", t3: "gob-2" };
await until(() => kept.last.encounter);

const done = {
  /** What tokens, walls, bars, icons and the tracker show. */
  async scene() {
    const found = {};
    await until(() => at("o1")[0] !== 0);
    found.unbound = tokens();
    await bind(ALL);
    found.proposed = seen.asked.at(-1).content;
    await until(() => at("t3")[0] !== 0 && at("t2")[0] !== 0 && at("t1")[0] !== 0);
    found.bound = tokens();
    await until(() => canvas.scene.walls.get("w1").ds === 1);
    found.own = walls();
    await api.draw();
    await until(() => canvas.scene.walls.size > 2);
    found.drawn = walls();
    await rule("the door falls shut", { kind: "walls", edges: ["3,0|4,0"], becomes: "closed_door" },
      { kind: "walls", edges: ["5,0|6,0"], becomes: "none" });
    await rule("the ground rises", { kind: "scenery", cells: [[2, 2]], height_ft: 10 }, { kind: "move", creature: "gob-2", to: [2, 2] });
    await rule("a blow", { kind: "hp", creature: "gob-1", hp: 3 }, { kind: "hp", creature: "gob-2", hp: 2 },
      { kind: "condition", creature: "pia", condition: "prone", levels: 1 });
    await until(() => effects("t1").length && canvas.scene.tokens.get("t2").actor.system.attributes.hp.value === 3);
    await until(() => canvas.scene.walls.get("w1").ds === 0 && at("t3")[2] === 10);
    await until(() => canvas.scene.tokens.get("t3").actor.system.hits === 2);
    found.shut = walls();
    found.risen = at("t3");
    found.hp = ["t1", "t2", "t3"].map((id) => canvas.scene.tokens.get(id).actor.system);
    found.goblin = game.actors.get("a2").system;
    found.effects = effects("t1");
    await rule("she stands", { kind: "lose_condition", creature: "pia", condition: "prone" }, { kind: "knock_out", creature: "gob-1" });
    await until(() => !effects("t1").length && effects("t2").length);
    found.down = effects("t2");
    found.before = tracked();
    await api.ask("POST", "/commands", { type: "begin_combat", unaware_side: "foes" });
    await api.ask("POST", "/commands", { type: "grant_priority" });
    await until(() => tracked()[0]?.turn);
    found.tracked = tracked();
    found.quiet = log.filter(([kind]) => kind === "Combat.update").every(([, , , { turnEvents }]) => turnEvents === false);
    await bind({ t3: "nobody" });
    await until(() => tracked()[0].fighting.length === 3);
    found.released = tracked();
    await api.erase();
    found.erased = walls();
    await api.ask("DELETE", "");
    await until(() => !game.combats.size);
    found.chat = chat();
    return found;
  },

  /** Failing writes, a cut network, a burst, another GM. */
  async faults() {
    const found = {};
    failing.set("ChatMessage.create", 5);
    await rule("one");
    await rule("two");
    await isPosted();
    found.unposted = chat();
    found.told = [...seen.told];
    failing.set("Token.update", 2);
    failing.set("Wall.update", 1);
    await rule("three", { kind: "move", creature: "gob-1", to: [2, 2] });
    await until(() => at("t2")[0] === 800);
    await until(() => !failing.get("Token.update"));
    found.told_of_tokens = seen.told.slice(found.told.length);
    cut();
    await until(() => seen.told.some((text) => text.includes("interrupted") && seen.told.indexOf(text) >= found.told.length));
    network.isDown = false;
    await until(() => streams.size);
    await rule("four");
    await isPosted();
    await until(() => seen.told.at(-1) === texts["REWOUND.found"]);
    found.network = seen.told.slice(found.told.length);
    let release;
    network.held = new Promise((go) => { release = go; });
    const before = network.requests.length;
    for (let i = 0; i < 12; i += 1) await rule(`burst ${i}`);
    await isPosted();
    network.held = null;
    release();
    await rule("after", { kind: "move", creature: "gob-1", to: [1, 2] });
    await until(() => at("t2")[0] === 700);
    found.burst = network.requests.slice(before).filter((each) => each === "GET creatures").length;
    game.users.activeGM = { isSelf: false };
    call("userConnected");
    found.left = streams.size;
    await rule("unseen");
    game.users.activeGM = { isSelf: true };
    call("userConnected");
    call("userConnected");
    await isPosted();
    found.streams = streams.size;
    found.undone = await api.ask("POST", "/undo", { to: kept.last.n - 1 });
    await until(() => kept.last.line === found.undone.line);
    await rule("anew");
    await isPosted();
    found.chat = chat();
    await game.settings.set("rewound", "observer", { encounter, token: "rw_another.browser" });
    await rule("seen by a new token");
    for (const stream of [...streams]) stream.lose();
    await rule("once more");
    await isPosted();
    found.after = chat();
    return found;
  },

  /** After a restart: the scene as it is now, and what was missed. */
  async restart() {
    await isPosted();
    await until(() => at("t1")[0] !== 0);
    return { chat: chat(), at: at("t1") };
  },

  /** Foundry's dice. */
  async dice() {
    person.answer = ({ names }) => Object.fromEntries(names.map((name) => [name, 0]));
    const acted = await api.act();
    return { acted, thrown: log.filter(([kind]) => kind === "Roll.toMessage").map(([, face]) => face), sent };
  },

  /** The scene control's button, the panel and its windows. */
  async panel() {
    const found = { registered: game.settings.registered };
    const controls = { tokens: { name: "tokens", tools: { select: { name: "select", order: 0 } } } };
    call("getSceneControlButtons", controls);
    found.tool = controls.tokens.tools.rewound;
    let panel = null;
    const render = foundry.applications.api.ApplicationV2.prototype.render;
    foundry.applications.api.ApplicationV2.prototype.render = function shown(...given) { panel = this; return render.apply(this, given); };
    await found.tool.onChange({}, true);
    found.first = panel.element.innerHTML;
    await api.ask("POST", "/commands", { type: "begin_combat", unaware_side: "foes" });
    await api.ask("POST", "/commands", { type: "grant_priority" });
    await until(() => panel.element.innerHTML.includes("Asked: Pia<") && panel.element.innerHTML.includes("Call out"));
    found.turn = panel.element.innerHTML;
    await click(panel, "choose", "Call out"); // closed
    found.closed = log.length;
    person.answer = ({ names }) => Object.fromEntries(names.map((name) => [name, "Hold <b>!"]));
    await click(panel, "choose", "Call out");
    await isPosted();
    found.called = chat().at(-1);
    person.answer = ({ names }) => Object.fromEntries(names.map((name) => [name, 0]));
    await click(panel, "choose", "Engage");
    await isPosted();
    await click(panel, "refresh");
    found.engaged = panel.element.innerHTML;
    found.asked = seen.asked.map(({ content }) => content);
    await click(panel, "look");
    found.opened = seen.opened;
    await click(panel, "bind");
    found.told = seen.told;
    found.acted = await api.act();
    await found.tool.onChange({}, true);
    found.isOpen = panel.rendered;
    return found;
  },
}[what];
const found = await done();
const { last, observer } = kept;
found.kept = { last, observer };
process.stdout.write(JSON.stringify(found), () => process.exit(0));

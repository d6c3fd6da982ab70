// Run the Foundry module in node, in as much of Foundry as it touches, against a real service.
//
// Arguments: the service's address, an encounter, an API key of its gm, how many times the gm acts, the type of command
// that the gm sends where it is offered, if any; else the first.

import { eventsOf } from "../../clients/javascript/events.mjs";

const [address, encounter, token, times, wanted = "nothing"] = process.argv.slice(2);
const kept = { address, encounter, token };
const hooks = {};
const found = { chat: [], asked: [], warned: [], sent: [], thrown: 0, registered: {}, moved: [] };

globalThis.window = { location: { origin: address }, open: (url) => { found.looked = url; } };
globalThis.Hooks = { once: (name, run) => { hooks[name] = run; }, on: (name, run) => { hooks[name] = run; } };
globalThis.ui = { notifications: { warn: (text) => found.warned.push(text), info: (text) => found.warned.push(text) } };
globalThis.ChatMessage = { create: async (message) => { found.chat.push(message.content); } };
const tokens = [{ id: "t1", name: "Pia", x: -100, y: -100 }, { id: "t2", name: "A barrel", x: 7, y: 7 }];
globalThis.canvas = { scene: { tokens, grid: { size: 100 }, updateEmbeddedDocuments: async (kind, moves) => {
  found.moved.push([kind, moves]);
  for (const { _id, x, y } of moves) Object.assign(tokens.find(({ id }) => id === _id), { x, y });
} } };
globalThis.game = {
  settings: {
    register: (_id, name, how) => { found.registered[name] = how.scope; kept[name] ??= how.default; },
    get: (_id, name) => kept[name],
    set: async (_id, name, value) => { kept[name] = value; },
  },
  users: { activeGM: { isSelf: true } },
  modules: new Map([["rewound", {}]]),
};
globalThis.Roll = class {
  constructor(formula) { this.total = Number(formula.split("d")[1]); }
  async evaluate() { found.thrown += 1; return this; }
  async toMessage() {}
};
const closing = { now: false };
globalThis.foundry = {
  utils: { randomID: (length) => Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join("") },
  applications: { api: { DialogV2: { prompt: async ({ content, ok }) => {
    found.asked.push(content);
    if (closing.now) return null;
    const [, at = "0"] = content.match(new RegExp(`<option value="(\\d+)">[^<]*${wanted}`)) ?? [];
    const named = [...content.matchAll(/<(select|input) name="([^"]+)"/g)];
    const elements = Object.fromEntries(named.map(([, tag, name]) => [name, { value: tag === "input" ? "Hold!" : at }]));
    return ok.callback(null, { form: { elements } });
  } } } },
};
globalThis.EventSource = class {
  constructor(url) { this.listeners = {}; this.stopping = new AbortController(); this.run(url).catch(() => this.stopping.signal.aborted || this.listeners.error?.({})); }
  addEventListener(name, run) { this.listeners[name] = run; }
  close() { this.stopping.abort(); }
  async run(url) {
    const response = await fetch(url, { headers: { Accept: "text/event-stream" }, signal: this.stopping.signal });
    for await (const { event, data } of eventsOf(response.body)) this.listeners[event]?.({ data: JSON.stringify(data) });
    throw new Error("the stream ended"); // a browser says so as an error
  }
};

await import("../../docs/integrations/foundry/rewound/rewound.mjs");
hooks.init();
hooks.ready();
const { act, ask, look } = game.modules.get("rewound").api;
const until = async (done) => { while (!done()) await new Promise((resolve) => setTimeout(resolve, 20)); };
await until(() => kept.last.encounter);
found.began = kept.last.n;
closing.now = true;
found.closed = await act();
closing.now = false;
for (let time = 0; time < Number(times); time += 1) found.sent.push(await act());
found.version = (await ask("GET", "")).version;
await until(() => kept.last.n === found.version);
found.undone = await ask("POST", "/undo", { to: found.version - 1 });
await until(() => kept.last.line === found.undone.line);
found.again = await act();
look();
await until(() => kept.last.n === found.again.n);
process.stdout.write(JSON.stringify(found), () => process.exit(0));

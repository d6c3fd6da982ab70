// Try the client against a service, with a fetch that misbehaves: prints a JSON object of what was found.
//
// Arguments: the service's address, an API key, a written fight.

import { readFile } from "node:fs/promises";
import { Client, Problem, Unreachable } from "../../clients/javascript/rewound.mjs";

const [url, key, file] = process.argv.slice(2);
const fight = JSON.parse(await readFile(file, "utf-8")).forms.s002;
const found = {};

const table = async (client) => {
  const gm = await client.open(fight.opening);
  const seats = { gm };
  for (const { seat } of fight.opening.seats) seats[seat] = gm.as(await gm.token(seat));
  return seats;
};

const play = async (seats, upto = fight.steps.length) => {
  for (const { seat, send } of fight.steps.slice(0, upto)) if (send) await seats[seat].send(send);
};

const numbers = async (encounter) => {
  const all = [];
  for await (const { n } of encounter.commits()) all.push(n);
  return all;
};

// --- a request happens once, whatever befalls it ------------------------------------------------------------

const answer = (status, type) => () =>
  new Response(JSON.stringify({ type, status, title: "made up" }), {
    status, headers: { "Content-Type": "application/problem+json", "Retry-After": "0" },
  });

const FAULTS = {
  "the answer is lost": async (send) => { await send(); throw new TypeError("fetch failed"); },
  "no connection": async () => { throw new TypeError("fetch failed"); },
  "429": answer(429, "/problems/rate-limited"),
  "503": answer(503, "/problems/store-unavailable"),
  "504 after it was appended": async (send) => { await send(); return answer(504, "/problems/outcome-unknown")(); },
  "202": async (send) => { const real = await send(); return new Response(await real.text(), { status: 202, headers: { "Retry-After": "0" } }); },
};

found.once = {};
for (const [name, fault] of Object.entries(FAULTS)) {
  const left = { faults: 0 };
  const keys = new Set();
  const fetch = (address, init) => {
    if (init.method !== "GET") keys.add(init.headers["Idempotency-Key"]);
    if (left.faults === 0) return globalThis.fetch(address, init);
    left.faults -= 1;
    return fault(() => globalThis.fetch(address, init));
  };
  const seats = await table(new Client(url, key, { fetch }));
  const before = await numbers(seats.gm);
  keys.clear();
  left.faults = 3;
  const outcome = await seats.gm.send(fight.steps[0].send);
  const after = await numbers(seats.gm);
  found.once[name] = { outcome: outcome.outcome, added: after.length - before.length, keys: keys.size };
}

const nobody = new Client("http://127.0.0.1:9", key, { tries: 2 });
found.unreachable = await nobody.open(fight.opening, { key: "mine" }).catch((fault) =>
  ({ is: fault instanceof Unreachable, key: fault.key }));

// --- a stream that is cut again and again -------------------------------------------------------------------

const cuts = { streams: 0 };
const cutting = async (address, init) => {
  const response = await globalThis.fetch(address, init);
  if (init.headers.Accept !== "text/event-stream") return response;
  cuts.streams += 1;
  let left = (init.headers["Last-Event-ID"] ?? ":0").endsWith(":0") ? 20000 : 400 + 1300 * (cuts.streams % 5); // bytes: amid an event
  const body = response.body.pipeThrough(new TransformStream({
    transform(chunk, line) {
      if (chunk.length >= left) { line.enqueue(chunk.subarray(0, left)); line.error(new Error("cut")); return; }
      left -= chunk.length;
      line.enqueue(chunk);
    },
  }));
  return { status: response.status, headers: response.headers, body };
};
const seats = await table(new Client(url, key));
const playing = play(seats);
const told = [];
const follower = new Client(url, key, { fetch: cutting }).encounter(seats.gm.id);
const ending = new AbortController();
const last = fight.steps.filter(({ send }) => send).length + 3;
for await (const { event, data } of follower.stream({ signal: ending.signal })) {
  if (event === "commit") told.push(data.n);
  if (event === "commit" && data.n === last) ending.abort();
}
await playing;
found.stream = { told, recorded: await numbers(seats.gm), streams: cuts.streams };

// --- everything else ----------------------------------------------------------------------------------------

const opened = await table(new Client(url, key));
const { gm, zoe } = opened;
const [first, second, third] = fight.steps.map(({ send }) => send);
found.options = (await gm.options()).options.flatMap(({ commands }) => commands.map(({ command }) => command.type));
found.array = (await gm.send([first, second])).outcomes.map(({ outcome }) => outcome);
found.refused = await gm.send(first).catch((fault) =>
  ({ is: fault instanceof Problem, status: fault.status, code: fault.code, type: fault.type, n: fault.n }));
found.stale = await gm.send(third, { version: 1 }).catch((fault) => fault.type);
found.settled = [await zoe.send(third, { key: "engage" }), await zoe.settled("engage")].map(({ n }) => n);
found.outcome = (await gm.outcome(found.settled[0])).outcome;
found.state = (await gm.state({ min_version: found.settled[0] })).version;
found.explanation = (await gm.explanation(found.settled[0])).type;
const address = await gm.ticket({ after: found.settled[0] - 1 });
const stopping = new AbortController();
const response = await fetch(address, { headers: { Accept: "text/event-stream" }, signal: stopping.signal });
const reader = response.body.getReader();
let text = "";
while (!text.includes("\n\nid:") || !text.endsWith("\n\n")) text += new TextDecoder().decode((await reader.read()).value);
stopping.abort();
found.ticket = text.includes(`id: ${gm.id}:${found.settled[0]}\n`);
found.about = (await gm.about()).encounter === gm.id;
found.closed = (await gm.close("enough")).outcome;
found.audit = (await gm.audit()).verdict;
found.bundle = await gm.bundle();

const list = "name;hp\nZo\u00eb;7\n";
const asked = { edition: "heartrush@1", kind: "creatures", side: "foes", place: "1,2" };
const latin = Uint8Array.from(list, (letter) => letter.charCodeAt(0));
found.files = [];
for (const file of [list, latin, new Blob([latin])]) {
  const { part, notes } = await gm.client.importFile(file, asked);
  found.files.push([part.creatures[0].sheet.name, notes.length]);
}
process.stdout.write(JSON.stringify(found), () => process.exit(0));

// Follow an encounter at several seats, over a line that is cut again and again: print what each was told.
//
// Arguments: the service's address, an encounter, a JSON object of tokens by seat, the event to end with.

import { Client } from "../../clients/javascript/rewound.mjs";

const [url, encounter, tokens, end] = process.argv.slice(2);

let streams = 0;
const cutting = async (address, init) => {
  const response = await globalThis.fetch(address, init);
  if (init.headers.Accept !== "text/event-stream" || response.status !== 200) return response;
  let left = 20000 + 3000 * (streams++ % 3); // bytes: amid an event
  const body = response.body.pipeThrough(new TransformStream({
    transform(chunk, line) {
      if (chunk.length >= left) { line.enqueue(chunk.subarray(0, left)); line.error(new Error("cut")); return; }
      left -= chunk.length;
      line.enqueue(chunk);
    },
  }));
  return { status: response.status, headers: response.headers, body };
};

const follow = async (seat, token) => {
  const told = [];
  for await (const { event, data } of new Client(url, token, { fetch: cutting }).encounter(encounter).stream({ line: encounter, text: "en" })) {
    if (event === "commit") {
      const { encounter: line, n, events } = JSON.parse(data.commit);
      if (!Array.isArray(data.text)) throw new Error(`commit ${n} of ${seat} has no sentences`);
      told.push([line, n]);
      if (events.some(({ type }) => type === end)) return told;
    }
  }
};

const seats = Object.entries(JSON.parse(tokens));
const found = await Promise.all(seats.map(async ([seat, token]) => [seat, await follow(seat, token)]));
process.stdout.write(JSON.stringify(Object.fromEntries(found)), () => process.exit(0));

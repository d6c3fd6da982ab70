// Play with the JavaScript client what is told on standard input, one JSON line each, and answer each with a line.
//
// Arguments: the service's address, an API key. Lines: {open, key}, {join, tokens}, {seat, send}, {close}, {about}.

import { createInterface } from "node:readline";
import { Client } from "../../clients/javascript/rewound.mjs";

const [url, key] = process.argv.slice(2);
const client = new Client(url, key);
const seats = {};

const DONE = {
  async open({ open, key: once }) {
    seats.gm = await client.open(open, { key: once });
    for (const { seat } of open.seats) seats[seat] = seats.gm.as(await seats.gm.token(seat));
    return seats.gm.opened;
  },
  async join({ join, tokens }) {
    for (const [seat, token] of Object.entries(tokens)) seats[seat] = client.encounter(join).as(token);
    return seats.gm.about();
  },
  send: ({ seat, send }) => seats[seat].send(send),
  close: ({ close }) => seats.gm.close(close),
  about: () => seats.gm.about(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  const [name] = Object.keys(DONE).filter((each) => each in told);
  process.stdout.write(`${JSON.stringify(await DONE[name](told))}\n`);
}

// Play a written fight, seat by seat: node fight.mjs http://127.0.0.1:8000 rw_... orc-and-hound.json [form]

import { readFile } from "node:fs/promises";
import { Client } from "../rewound.mjs";

const [url, key, file, form = "s002"] = process.argv.slice(2);
const fight = JSON.parse(await readFile(file, "utf-8")).forms[form];

const gm = await new Client(url, key).open(fight.opening);
const seats = { gm };
for (const { seat } of fight.opening.seats) seats[seat] = gm.as(await gm.token(seat));

for (const { seat, says, send } of fight.steps.filter((step) => step.send)) {
  const outcome = await seats[seat].send(send);
  console.log(`${outcome.n} ${seat} ${send.type}: ${outcome.outcome} ${says}`);
}

const closed = await gm.close("the end");
const { verdict } = await gm.audit();
console.log(`${gm.id} ${closed.n} ${closed.hash} ${verdict}`);

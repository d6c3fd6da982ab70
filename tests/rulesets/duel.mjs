// Play a duel by what is offered, close it, audit it, and verify its bundle: prints both verdicts.

import { Client, valuesOf } from "../../clients/javascript/rewound.mjs";
import { verify } from "../../service/api/pages/verifier/verify.mjs";

const [address, key, opening] = process.argv.slice(2);
const gm = await new Client(address, key).open(JSON.parse(opening));
const seats = { ann: gm.as(await gm.token("ann")), bo: gm.as(await gm.token("bo")) };

for (let sent = 0; sent < 200; sent += 1) {
  const { waiting } = await gm.about();
  if (waiting.length === 0) break;
  const seat = seats[waiting[0].seat];
  const [offer] = (await seat.options()).options[0].commands;
  const command = { ...offer.command };
  for (const [name, choice] of Object.entries(offer.choices)) {
    const values = valuesOf(choice);
    command[name] = values[Math.floor(Math.random() * values.length)];
  }
  await seat.send(command);
}
await gm.close("the duel is over");
const audit = await gm.audit();
const judged = await verify(new TextEncoder().encode(await gm.bundle()), {});
console.log(audit.verdict, judged.verdict.text);

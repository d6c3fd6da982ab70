// Evaluate calls of the JavaScript client against a service that is none, and tell what each asked.
//
// Standard input: {answer, names, calls}, a JSON answer to everything, values by name, and the calls as text.

import { readFileSync } from "node:fs";
import { Client } from "../../clients/javascript/rewound.mjs";

const { answer, names, calls } = JSON.parse(readFileSync(0, "utf-8"));
const asked = [];
const fetch = async (address, { method, headers }) => {
  asked.push({ method, path: new URL(address).pathname, keyed: "Idempotency-Key" in headers });
  return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
};
const service = new Client("http://service", "rw_x", { fetch });
const given = { ...names, service, table: service.encounter("e") };

const found = [];
for (const call of calls) {
  asked.length = 0;
  const made = await new Function(...Object.keys(given), `return ${call}`)(...Object.values(given));
  if (made?.[Symbol.asyncIterator]) for await (const _ of made);
  found.push([...asked]);
}
process.stdout.write(JSON.stringify(found));

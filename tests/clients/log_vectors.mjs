// Prints what the verifier says of each vector of tests/vectors/public_log, and of the policies given on standard input.

import { readFileSync } from "node:fs";

import { readTrust } from "../../service/api/pages/verifier/trust.mjs";
import { verify } from "../../service/api/pages/verifier/verify.mjs";

const home = new URL("../vectors/public_log/", import.meta.url);
const file = (name) => new Uint8Array(readFileSync(new URL(name, home)));
const { key, vectors } = JSON.parse(readFileSync(new URL("verdicts.json", home), "utf8"));
const said = vectors.map((row) => {
  const held = { keys: [key], log: file(row["log-proof"]), trust: readTrust(file(row.policy)), delay: row.delay };
  const { verdict, public_log: log } = verify(file(row.bundle), held);
  return [verdict.text, verdict.detail, log ?? null];
});
const policies = JSON.parse(readFileSync(0, "utf8")).map((text) => readTrust(new TextEncoder().encode(text)) !== null);
process.stdout.write(JSON.stringify({ said, policies }));

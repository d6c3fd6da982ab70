// Throw the dice that tests/clients/draws.py throws: the same names made from numbers, one hash for each epoch.
//
// Arguments: how many epochs, how many rolls in each, and the first epoch. Printed: a JSON list of hashes of the faces.

import { joined, number, toHex, utf8 } from "../../service/api/pages/verifier/bytes.mjs";
import { epochKey, faces } from "../../service/api/pages/verifier/dice.mjs";
import { sha256 } from "../../service/api/pages/verifier/sha2.mjs";

const SIDES = [2, 3, 4, 6, 8, 10, 12, 20, 100, 1000, 65537, 999983, 1000000];
const [epochs, rolls, first] = process.argv.slice(2).map(Number);

const hashes = [];
for (let epoch = first; epoch < first + epochs; epoch += 1) {
  const told = sha256(joined(utf8("epoch"), number(epoch, 4)));
  const link = sha256(joined(utf8("link"), told));
  const key = epochKey(toHex(told.subarray(0, 16)), sha256(told), epoch % 2, epoch, link);
  const shown = [];
  for (let at = 0; at < rolls; at += 1) {
    const stream = at % 3 ? `creature-${at % 97}/attack` : `orc-${at % 89}/defense/pia-${at % 7}/step-${at % 1009}`;
    const dice = Array.from({ length: 1 + (at % 9) }, (_, die) => SIDES[(at + 5 * die + epoch) % SIDES.length]);
    shown.push(faces(key, stream, at * 2147483647, dice).join(" "));
  }
  hashes.push(toHex(sha256(utf8(shown.join("\n")))));
}
process.stdout.write(JSON.stringify(hashes));

// Hold the verifier to the vectors: prints a JSON list of the names of those that do not hold, and their count.

import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { fromHex, same, toHex, utf8 } from "../../service/api/pages/verifier/bytes.mjs";
import { parsed, spelled } from "../../service/api/pages/verifier/canonical.mjs";
import * as dice from "../../service/api/pages/verifier/dice.mjs";
import { verifies } from "../../service/api/pages/verifier/ed25519.mjs";
import * as notes from "../../service/api/pages/verifier/notes.mjs";
import { hmac, sha256, sha512 } from "../../service/api/pages/verifier/sha2.mjs";
import * as tree from "../../service/api/pages/verifier/tree.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf-8"));
const failed = [];
let count = 0;
const holds = (name, claim) => {
  count += 1;
  if (claim !== true) failed.push(name);
};

// --- dice --------------------------------------------------------------------------------------------------

const vectors = read("dice");
const chains = new Map();

/** The link of `epoch`, from a later one. */
const walked = (encounter, lane, later, link, epoch) => {
  let found = link;
  for (let at = later; at > epoch; at -= 1) found = dice.earlier(encounter, lane, at, found);
  return found;
};

holds("algorithm", vectors.algorithm === "rewound/dice/1");
for (const chain of vectors.chains) {
  const { name, encounter, n, epoch } = chain;
  const lanes = Object.entries(chain.anchors).map(([lane, anchor]) => ({ lane: Number(lane), n, anchor }));
  const seal = dice.seal(encounter, lanes, chain.seats);
  holds(`${name}: seal`, toHex(seal) === chain.seal);
  for (const [seat, told] of Object.entries(chain.seat_commitments)) {
    holds(`${name}: ${seat}`, toHex(dice.seatCommitment(encounter, seat, fromHex(chain.seats[seat]))) === told);
  }
  const keys = {};
  for (const { lane, anchor } of lanes) {
    const [seed, link] = [fromHex(chain.seeds[lane]), fromHex(chain.disclosed[lane])];
    keys[lane] = dice.epochKey(encounter, seal, lane, epoch, link);
    holds(`${name}: anchor ${lane}`, toHex(walked(encounter, lane, n, seed, 0)) === anchor);
    holds(`${name}: link ${lane}`, same(walked(encounter, lane, n, seed, epoch), link));
    holds(`${name}: it leads ${lane}`, toHex(walked(encounter, lane, epoch, link, 0)) === anchor);
    holds(`${name}: key ${lane}`, toHex(keys[lane]) === chain.epoch_keys[lane]);
  }
  chains.set(name, { ...chain, keys });
}
for (const { chain, lane, stream, place, sides, faces } of vectors.rolls) {
  holds(`${chain}: ${stream}`, String(dice.faces(chains.get(chain).keys[lane], stream, place, sides)) === String(faces));
}
for (const { encounter, salt, payload, commitment } of vectors.envelopes) {
  holds("envelope", dice.commitment(encounter, salt, utf8(payload)) === commitment);
}
for (const { why, chain, lane, claimed } of vectors.must_fail) {
  const { encounter, epoch, anchors } = chains.get(chain);
  holds(`must fail: ${why}`, toHex(walked(encounter, lane, epoch, fromHex(claimed), 0)) !== anchors[lane]);
}
const later = vectors.later_link_gives_earlier;
const { encounter: itsEncounter } = chains.get(later.chain);
holds("a later link gives the earlier", toHex(dice.earlier(itsEncounter, later.lane, 2, fromHex(later.link_2))) === later.link_1);

// --- log ---------------------------------------------------------------------------------------------------

const log = read("log");
const hashes = log.commits.map(({ hash }) => fromHex(hash));
let prev = "0".repeat(64);
for (const { n, request, commit, hash } of log.commits) {
  const data = parsed(commit);
  holds(`commit ${n}: spelling`, spelled(data) === commit && spelled(parsed(request)) === request);
  holds(`commit ${n}: hash`, toHex(tree.leaf(utf8(commit))) === hash);
  holds(`commit ${n}: request`, toHex(sha256(utf8(request))) === data.request);
  holds(`commit ${n}: prev`, data.prev === prev);
  prev = hash;
}
const { salt, payload, commitment } = log.envelope;
holds("envelope of the log", dice.commitment(parsed(log.commits[0].commit).encounter, salt, utf8(payload)) === commitment);
const [root2, root3] = [fromHex(log.root_2), fromHex(log.root_3)];
const [inclusion, consistency] = [log.inclusion_of_2_in_3.map(fromHex), log.consistency_2_to_3.map(fromHex)];
holds("root of 2", tree.root(hashes.slice(0, 2)) === log.root_2);
holds("root of 3", tree.root(hashes) === log.root_3);
holds("inclusion", tree.includes(hashes[1], 1, 3, inclusion, root3));
holds("no inclusion of another", !tree.includes(hashes[2], 1, 3, inclusion, root3));
holds("consistency", tree.continues(2, root2, 3, root3, consistency));
holds("no consistency with another", !tree.continues(2, root3, 3, root2, consistency));

const key = notes.readKey(log.verifier_key);
const point = notes.readCheckpoint(log.checkpoint);
const altered = notes.readCheckpoint(log.checkpoint.replace("\n3\n", "\n4\n"));
holds("verifier key", notes.verifierKey(point.origin, key) === log.verifier_key);
holds("another verifier key", notes.readKey(log.verifier_key.replace("+02", "+03")) === null);
holds("checkpoint", point.size === 3 && point.root === log.root_3);
holds("signature", notes.isSignedBy(point, point.origin, key));
holds("an altered checkpoint", !notes.isSignedBy(altered, altered.origin, key));

// --- the platform's cryptography says the same -------------------------------------------------------------

for (let size = 0; size < 200; size += 1) {
  const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31 + size) % 256);
  const theirs = (algorithm) => createHash(algorithm).update(bytes).digest("hex");
  holds(`SHA-256 of ${size} bytes`, toHex(sha256(bytes)) === theirs("sha256"));
  holds(`SHA-512 of ${size} bytes`, toHex(sha512(bytes)) === theirs("sha512"));
  holds(`HMAC with ${size} bytes`, toHex(hmac(bytes, bytes)) === createHmac("sha256", bytes).update(bytes).digest("hex"));
}
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex"); // what stands before 32 secret bytes
for (let at = 0; at < 8; at += 1) {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, at)]), format: "der", type: "pkcs8" });
  const own = new Uint8Array(createPublicKey(secret).export({ type: "spki", format: "der" }).subarray(-32));
  const message = utf8("m".repeat(40 * at));
  const value = new Uint8Array(sign(null, message, secret));
  holds("a true signature", verifies(own, message, value));
  for (const place of [0, 31, 32, 63]) {
    const changed = Uint8Array.from(value);
    changed[place] ^= 1;
    holds(`a false signature at ${place}`, !verifies(own, message, changed));
  }
  holds("another message", !verifies(own, utf8("x"), value));
}
process.stdout.write(JSON.stringify({ count, failed }));

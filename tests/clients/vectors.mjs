// Hold the verifier to the vectors: prints a JSON list of the names of those that do not hold, and their count.

import { readFileSync } from "node:fs";
import { hex, same, unhex, utf8, uuidBytes } from "../../service/api/pages/verifier/bytes.mjs";
import { parse, spelled } from "../../service/api/pages/verifier/canonical.mjs";
import * as dice from "../../service/api/pages/verifier/dice.mjs";
import { isSigned } from "../../service/api/pages/verifier/ed25519.mjs";
import { isSignedPlainly, sha512 } from "../../service/api/pages/verifier/ed25519_plain.mjs";
import * as notes from "../../service/api/pages/verifier/notes.mjs";
import { sha256 } from "../../service/api/pages/verifier/sha256.mjs";
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
holds("algorithm", vectors.algorithm === dice.ALGORITHM);
for (const chain of vectors.chains) {
  const id = uuidBytes(chain.encounter);
  const lanes = Object.entries(chain.anchors).map(([lane, anchor]) => ({ lane: Number(lane), n: chain.n, anchor: unhex(anchor) }));
  const seeds = Object.fromEntries(Object.entries(chain.seats).map(([seat, seed]) => [seat, unhex(seed)]));
  const seal = dice.sealOf(id, lanes, seeds);
  holds(`${chain.name}: seal`, hex(seal) === chain.seal);
  for (const [seat, told] of Object.entries(chain.seat_commitments)) {
    holds(`${chain.name}: ${seat}`, hex(dice.seatCommitment(id, seat, seeds[seat])) === told);
  }
  const faces = {};
  for (const { lane, n, anchor } of lanes) {
    const seed = unhex(chain.seeds[lane]);
    const link = unhex(chain.disclosed[lane]);
    const key = dice.epochKey(id, seal, lane, chain.epoch, link);
    holds(`${chain.name}: anchor ${lane}`, same(dice.walked(id, lane, n, seed, 0), anchor));
    holds(`${chain.name}: link ${lane}`, same(dice.walked(id, lane, n, seed, chain.epoch), link));
    holds(`${chain.name}: it leads ${lane}`, same(dice.walked(id, lane, chain.epoch, link, 0), anchor));
    holds(`${chain.name}: key ${lane}`, hex(key) === chain.epoch_keys[lane]);
    faces[lane] = dice.facesWith(key);
  }
  chains.set(chain.name, { ...chain, id, lanes, faces });
}
for (const roll of vectors.rolls) {
  const shown = chains.get(roll.chain).faces[roll.lane](roll.stream, roll.place, roll.sides);
  holds(`${roll.chain}: ${roll.stream}`, String(shown) === String(roll.faces));
}
for (const { encounter, salt, payload, commitment } of vectors.envelopes) {
  holds("envelope", hex(dice.commitment(uuidBytes(encounter), unhex(salt), utf8(payload))) === commitment);
}
for (const { why, chain, lane, claimed } of vectors.must_fail) {
  const { id, epoch, lanes } = chains.get(chain);
  const anchor = lanes.find((each) => each.lane === lane).anchor;
  const link = unhex(claimed);
  holds(`must fail: ${why}`, link === null || !same(dice.walked(id, lane, epoch, link, 0), anchor));
}
const later = vectors.later_link_gives_earlier;
holds("a later link gives the earlier", hex(dice.walked(chains.get(later.chain).id, later.lane, 2, unhex(later.link_2), 1)) === later.link_1);

// --- log ---------------------------------------------------------------------------------------------------

const log = read("log");
const hashes = log.commits.map(({ hash }) => unhex(hash));
let prev = "0".repeat(64);
for (const { n, request, commit, hash } of log.commits) {
  const data = parse(utf8(commit));
  holds(`commit ${n}: spelling`, spelled(data) === commit && spelled(parse(utf8(request))) === request);
  holds(`commit ${n}: hash`, hex(sha256(new Uint8Array([0]), utf8(commit))) === hash);
  holds(`commit ${n}: request`, hex(sha256(utf8(request))) === data.request);
  holds(`commit ${n}: prev`, data.prev === prev);
  prev = hash;
}
const sealed = log.envelope;
const encounter = parse(utf8(log.commits[0].commit)).encounter;
holds("envelope of the log", hex(dice.commitment(uuidBytes(encounter), unhex(sealed.salt), utf8(sealed.payload))) === sealed.commitment);
holds("root of 2", hex(tree.root(hashes.slice(0, 2))) === log.root_2);
holds("root of 3", hex(tree.root(hashes)) === log.root_3);
holds("inclusion", tree.includes(hashes[1], 1, 3, log.inclusion_of_2_in_3.map((step) => unhex(step)), unhex(log.root_3)));
holds("consistency", tree.isPrefix(2, 3, log.consistency_2_to_3.map((step) => unhex(step)), unhex(log.root_2), unhex(log.root_3)));
holds("no inclusion of another", !tree.includes(hashes[2], 1, 3, log.inclusion_of_2_in_3.map((step) => unhex(step)), unhex(log.root_3)));

const key = notes.readVerifierKey(log.verifier_key);
const point = notes.parsedCheckpoint(log.checkpoint);
const [line] = notes.linesOf(point, point.origin, key);
holds("verifier key", notes.verifierKey(point.origin, key) === log.verifier_key);
holds("checkpoint", point.size === 3 && point.root === log.root_3);
holds("signature", await notes.hasSigned(point, point.origin, key));
const altered = notes.parsedCheckpoint(log.checkpoint.replace("\n3\n", "\n4\n"));
holds("an altered checkpoint", !(await notes.hasSigned(altered, point.origin, key)));

// --- Ed25519 with the platform and without it --------------------------------------------------------------

const message = utf8(point.text);
holds("SHA-512 of abc", hex(sha512(utf8("abc"))).startsWith("ddaf35a193617abacc417349ae204131") && hex(sha512(utf8("abc"))).endsWith("a54ca49f"));
for (const verified of [isSigned, isSignedPlainly]) {
  holds("a true signature", await verified(message, line.value, key));
  for (const at of [0, 31, 32, 63]) {
    const false_ = Uint8Array.from(line.value);
    false_[at] ^= 1;
    holds(`a false signature at ${at}`, !(await verified(message, false_, key)));
  }
  holds("another message", !(await verified(utf8("x"), line.value, key)));
}
process.stdout.write(JSON.stringify({ count, failed }));

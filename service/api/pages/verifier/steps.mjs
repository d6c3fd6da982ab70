// One die, or one commit's place under a signed head, step by step, with every byte that is hashed.
//
// Everything is computed here from the bytes of a bundle by what verifies all of it; nothing that the record concludes is used.

import { fromHex, same, toBase64, toHex, utf8 } from "./bytes.mjs";
import { blockOf, blockParts, chainParts, drawn, earlier, epochKey, keyParts, seal, sealParts } from "./dice.mjs";
import { Keyring } from "./keys.mjs";
import { readLines } from "./lines.mjs";
import { disclosedLinks } from "./links.mjs";
import { readPolicy } from "./policy.mjs";
import { readRecord, rollName, rollsOf } from "./record.mjs";
import { sealOf } from "./sealing.mjs";
import { besides, leaf, node } from "./tree.mjs";
import { Verdict } from "./verdict.mjs";

/**
 * @typedef {object} Step
 * @property {string} says what is done, and why
 * @property {[string, string][]} parts what goes in: each part's name, and its bytes as hexadecimal digits or a text
 * @property {[string, string] | null} gives what comes out
 * @property {boolean | null} holds whether that is what the record has; null if nothing is compared here
 * @property {boolean} isLink whether it is one of the links of a chain
 */
/** @typedef {{title: string, holds: boolean | null, says: string, steps: Step[]}} Steps `holds` is null if it cannot be computed yet */

const digits = (parts) => parts.map(([name, bytes]) => [name, toHex(bytes)]);
const step = (says, parts, gives = null, holds = null) => ({ says, parts, gives, holds, isLink: false });

/** The line of play of a bundle in which a commit stands: the one that is named, else the one that is played. */
function lineOf(bytes, named) {
  const lines = readLines(bytes);
  lines.forEach(readRecord);
  return lines.find(({ encounter }) => encounter === named) ?? lines.at(-1);
}

/** The rolls that a reader may see in commit `n`, for who wants to choose one. */
export const rollsIn = (bytes, n, line) => {
  const moment = lineOf(bytes, line).moments[n - 1];
  return moment === undefined ? [] : rollsOf(moment).filter(({ source }) => source === "seeded");
};

/**
 * Recompute the dice of one roll of commit `n`.
 * @param {Uint8Array} bytes those of a bundle @param {number} n @param {string} name the roll's, as `rollName` writes it @param {string} [line]
 * @returns {Steps}
 */
export const stepsOfRoll = (bytes, n, name, line) => guarded(`The dice of ${name}, in #${n}`, () => {
  const bundle = lineOf(bytes, line);
  const roll = rollsOf(bundle.moments[n - 1]).filter((each) => rollName(each) === name).at(-1);
  const policy = readPolicy(bundle);
  const own = policy?.lanes.find(({ lane }) => lane === roll.name.lane);
  if (own === undefined) return { holds: false, says: "Commit 1 published nothing that these dice could follow from.", steps: [] };
  const found = linkFor(bundle, policy, roll.name);
  const anchored = step("Commit 1 fixed the dice before the fight: it published this anchor. All dice lead back to it.", [["anchor of commit 1", own.anchor]]);
  if (found === null) {
    return { holds: null, says: `The link of epoch ${roll.name.epoch} is not disclosed yet: with it, coming dice of the round could be computed. It is disclosed when the round ends, or the fight; then this can be computed.`, steps: [anchored] };
  }
  const { steps, link, holds } = walked(policy.encounter, own, found, roll.name.epoch);
  const sealed = sealOf(bundle.moments, policy);
  if (sealed === null) return { holds: false, says: "The dice were never sealed.", steps: [anchored, ...steps] };
  const rest = thrown(policy, sealed.salt, seedsOf(bundle, policy), link, roll);
  return conclude([anchored, ...steps, ...rest], holds && rest.every((each) => each.holds !== false),
    `These bytes give ${spoken(roll)}, as the record has it. No other face was possible once commit 1 was published.`,
    "This is not what the record says: at the step that is marked, the bytes give something else.");
});

const spoken = ({ dice }) => (dice.length === 1 ? `the face ${dice[0].face}` : `the faces ${dice.map(({ face }) => face).join(", ")}`);

const conclude = (steps, holds, right, wrong) => ({ holds, says: holds ? right : wrong, steps });

/** The disclosed link that is nearest to an epoch, or later: `{epoch, link, n}`; null if there is none. */
function linkFor(bundle, { lanes }, { lane, epoch }) {
  const known = new Map(lanes.map((each) => [each.lane, each]));
  return disclosedLinks(bundle, known)
    .filter((each) => each.lane === lane && each.epoch >= epoch)
    .map((each) => ({ epoch: each.epoch, link: fromHex(each.link), n: each.place.n ?? null }))
    .sort((one, other) => one.epoch - other.epoch)[0] ?? null;
}

/** From a disclosed link to the anchor: every link on the way is a hash of the one behind it. */
function walked(encounter, { lane, n, anchor }, found, wanted) {
  const where = found.n === null ? "The bundle" : `Commit ${found.n}`;
  const steps = [step(`${where} disclosed the link of epoch ${found.epoch}, once no more dice followed from it.`, [["link", toHex(found.link)]])];
  let [link, mine] = [found.link, found.epoch === wanted ? found.link : null];
  for (let epoch = found.epoch; epoch > 0; epoch -= 1) {
    const before = earlier(encounter, lane, epoch, link);
    const holds = epoch === 1 ? toHex(before) === anchor : null;
    const says = epoch === 1 ? "The link of epoch 1 leads to the anchor, so all of them were fixed before the fight: SHA-256 of" : `The link of epoch ${epoch - 1} follows from that of epoch ${epoch}: SHA-256 of`;
    steps.push({ ...step(says, digits(chainParts(encounter, lane, epoch, link)), [epoch === 1 ? "anchor" : `link of epoch ${epoch - 1}`, toHex(before)], holds), isLink: true });
    link = before;
    if (epoch - 1 === wanted) mine = before;
  }
  return { steps, link: mine, holds: toHex(link) === anchor && found.epoch <= n };
}

/** The seeds that the seats added, by seat; none in a fight whose dice the service alone seeds. */
function seedsOf({ moments }, { mode }) {
  if (mode !== "mixed") return {};
  const sealed = moments.flatMap(({ commit }) => commit.events).filter(({ type }) => type === "dice_sealed" || type === "line_begun").at(-1);
  return sealed?.seats ?? sealed?.state?.sealing?.revealed ?? {};
}

/** From the link of an epoch to the faces of a roll. */
function thrown(policy, salt, seeds, link, { name, dice }) {
  const { lane, epoch, stream, place } = name;
  const made = seal(policy.encounter, policy.lanes, seeds);
  const key = epochKey(policy.encounter, salt, lane, epoch, link);
  const taken = drawn(key, stream, place, dice.map(({ sides }) => sides));
  const blocks = Array.from({ length: Math.ceil(taken.length / 8) }, (_, block) =>
    step(`Eight numbers for this roll, by its name "${stream}" and its place ${place}: HMAC-SHA-256 with that key, of`, digits(blockParts(stream, place, block)),
      ["numbers, four bytes each", toHex(blockOf(key, stream, place, block))]));
  return [
    step("All keys are salted with what commit 1 published, and with the seeds of seats, if any: SHA-256 of", digits(sealParts(policy.encounter, policy.lanes, seeds)), ["salt", toHex(made)], same(made, salt)),
    step(`The key of epoch ${epoch} is HKDF-SHA-256 (RFC 5869) of the link, with that salt, for`, digits(keyParts(policy.encounter, lane, epoch)), ["key", toHex(key)]),
    ...blocks,
    ...taken.map(({ word, isSkipped, die, face }) => {
      const { sides, face: recorded } = dice[die];
      const shown = [[`die ${die + 1}, a d${sides}`, `${word.toString(16).padStart(8, "0")} = ${word}`]];
      if (isSkipped) return step(`The number ${word} would favour low faces of a d${sides}, so it is skipped.`, shown);
      return step(`The remainder of ${word} divided by ${sides}, and one:`, shown, ["face", `${face}${face === recorded ? "" : `, and the record has ${recorded}`}`], face === recorded);
    }),
  ];
}

/**
 * Recompute the place of commit `n` under the first head that was signed after it.
 * @param {Uint8Array} bytes those of a bundle @param {number} n @param {string[]} [keys] those that are accepted @param {string} [line]
 * @returns {Steps}
 */
export const stepsOfPlace = (bytes, n, keys = [], line = undefined) => guarded(`The place of #${n} in the signed record`, () => {
  const bundle = lineOf(bytes, line);
  const { commitText } = bundle.moments[n - 1];
  const hashes = bundle.moments.map((moment) => leaf(utf8(moment.commitText)));
  const hashed = step("The hash of the commit is SHA-256 of a zero byte and its text, letter by letter:", [["zero byte", "00"], ["text", commitText]], ["hash", toHex(hashes[n - 1])]);
  const note = bundle.checkpoints.filter(({ size }) => size >= n && size <= hashes.length).sort((one, other) => one.size - other.size)[0];
  if (note === undefined) return { holds: null, says: "No signed head of this file covers this commit yet: the service signs one when a round ends, and when you verify the fight.", steps: [hashed] };
  const { steps, root } = climbed(hashes.slice(0, note.size), n - 1);
  const isRoot = toHex(root) === note.root;
  const signed = signature(bundle, note, keys);
  return conclude([hashed, ...steps, step(`The signed head of ${note.size} commits has this root:`, [["head", note.text]], ["root", toBase64(root)], isRoot), signed], isRoot && signed.holds !== false,
    keys.length ? `The commit stands in the record of ${note.size} commits that a key you accept has signed. Nobody can change one letter of it unseen.`
      : `The commit stands in the record of ${note.size} commits that the key of this file has signed. Compare that key with one that you had from elsewhere: a file can bring any key.`,
    "This commit does not stand in the signed record: at the step that is marked, the bytes give something else.");
});

/** From a leaf to the root: each hash with the one beside it. */
function climbed(leaves, index) {
  let found = leaves[index];
  const steps = besides(leaves, index).map(({ hash, isLeft }) => {
    const parts = isLeft ? [["one byte", "01"], ["left", toHex(hash)], ["right, from above", toHex(found)]] : [["one byte", "01"], ["left, from above", toHex(found)], ["right", toHex(hash)]];
    found = isLeft ? node(hash, found) : node(found, hash);
    return step("Two neighbours in the tree are hashed into one: SHA-256 of", parts, ["hash", toHex(found)]);
  });
  return { steps, root: found };
}

/** Whose signature a head has, and whether it is valid. */
function signature({ moments, encounter, keys: known }, note, given) {
  const ring = new Keyring((at) => moments[at - 1]?.commit.encounter ?? encounter, known, given);
  const signer = ring.namedIn(note);
  if (signer === undefined) return step("No key of this file has signed that head.", [], null, false);
  const holds = ring.faultOf(note, signer) === null && ring.isBelieved(signer);
  const says = ring.isBelieved(signer) ? "The head is signed with Ed25519 (RFC 8032) by this key:" : "The head is signed by a key that you do not accept:";
  return step(says, [["name", signer.name], ["public key", signer.public]], ["signature", holds ? "valid" : "not valid, or not accepted"], holds);
}

/**
 * The steps to the dice of a roll, by its name, or without one to the place of a commit.
 * @param {{n: number, roll?: string, line?: string}} what @param {string} bundle its text @param {string[]} keys @returns {Steps}
 */
export const stepsOf = ({ n, roll, line }, bundle, keys) =>
  (roll === undefined ? stepsOfPlace(utf8(bundle), n, keys, line) : stepsOfRoll(utf8(bundle), n, roll, line));

/** What `work` finds; a record that cannot be read says so. */
function guarded(title, work) {
  try {
    return { title, ...work() };
  } catch (fault) {
    if (!(fault instanceof Verdict)) throw fault;
    return { title, holds: false, says: `The record cannot be read here: ${fault.message}.`, steps: [] };
  }
}

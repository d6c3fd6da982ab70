// rewound/dice/1: the derivation of the previous link, of the seal, of an epoch's key, and of the faces of a roll's name.

import { fromHex, joined, measured, number, toHex, utf8, uuidBytes } from "./bytes.mjs";
import { hkdf, hmac, sha256 } from "./sha2.mjs";

const WORDS = 2 ** 32;

function label(use) {
  return joined(utf8(`rewound/dice/1/${use}`), Uint8Array.of(0));
}

/** What is hashed is a list of parts, each its name and its bytes, so that a page can show it: these are their bytes. */
const named = (use) => [`label "rewound/dice/1/${use}" and a zero byte`, label(use)];
const bytesOf = (parts) => joined(...parts.map(([, bytes]) => bytes));

/** What is hashed for the link before the one of `epoch`. */
export const chainParts = (encounter, lane, epoch, link) => [
  named("chain"), ["encounter", uuidBytes(encounter)], ["lane", number(lane, 1)], ["epoch", number(epoch, 4)], ["link", link],
];

/** The link before the one of `epoch`. */
export function earlier(encounter, lane, epoch, link) {
  return sha256(bytesOf(chainParts(encounter, lane, epoch, link)));
}

/** The commitment that a seat publishes before it reveals its seed. */
export function seatCommitment(encounter, seat, seed) {
  return sha256(joined(label("seat"), uuidBytes(encounter), measured(seat), seed));
}

/** The commitment to a choice, canonical JSON as bytes, that a seat seals itself. */
export function choiceCommitment(encounter, seat, prompt, salt, choice) {
  return sha256(joined(label("choice"), uuidBytes(encounter), measured(seat), measured(prompt), salt, choice));
}

/** What is hashed for the salt of all keys: `lanes` ordered by number, as [{lane, n, anchor}]; `seeds` as hexadecimal digits by seat. */
export function sealParts(encounter, lanes, seeds) {
  const seats = Object.keys(seeds).sort();
  return [
    named("seal"), ["encounter", uuidBytes(encounter)], ["number of lanes", number(lanes.length, 1)],
    ...lanes.map(({ lane, n, anchor }) => [`lane ${lane}: number, epochs, anchor`, joined(number(lane, 1), number(n, 4), fromHex(anchor))]),
    ["number of seats", number(seats.length, 2)],
    ...seats.map((seat) => [`${seat}: length, name, seed`, joined(measured(seat), fromHex(seeds[seat]))]),
  ];
}

/** The salt of all keys. */
export function seal(encounter, lanes, seeds) {
  return sha256(bytesOf(sealParts(encounter, lanes, seeds)));
}

/** What the key of an epoch is for. */
export const keyParts = (encounter, lane, epoch) => [
  named("key"), ["encounter", uuidBytes(encounter)], ["lane", number(lane, 1)], ["epoch", number(epoch, 4)],
];

export function epochKey(encounter, sealed, lane, epoch, link) {
  return hkdf(sealed, link, bytesOf(keyParts(encounter, lane, epoch)));
}

/** What is hashed for a block of eight words of a roll's name. */
export const blockParts = (stream, place, block) => [
  named("roll"), ["stream: length, name", measured(stream)], ["place", number(place, 8)], ["block", number(block, 4)],
];

/** The 32 bytes of a block of eight words. */
export function blockOf(key, stream, place, block) {
  return hmac(key, bytesOf(blockParts(stream, place, block)));
}

function* words(key, stream, place) {
  for (let block = 0; ; block += 1) {
    const view = new DataView(blockOf(key, stream, place, block).buffer);
    for (let at = 0; at < 32; at += 4) yield view.getUint32(at);
  }
}

/** What each die took: `{word, isSkipped, die}`, in the order of the words. A word that would favour low faces is skipped. */
export function drawn(key, stream, place, sides) {
  const given = words(key, stream, place);
  const found = [];
  sides.forEach((die, at) => {
    for (let isSkipped = true; isSkipped;) {
      const word = given.next().value;
      isSkipped = word >= WORDS - (WORDS % die);
      found.push({ word, isSkipped, die: at, face: 1 + (word % die) });
    }
  });
  return found;
}

/** The faces of dice with these sides, in order. */
export function faces(key, stream, place, sides) {
  return drawn(key, stream, place, sides).filter(({ isSkipped }) => !isSkipped).map(({ face }) => face);
}

/** The commitment in a commit to a payload that is sealed with this salt (64 digits). */
export function commitment(encounter, salt, payload) {
  return toHex(sha256(joined(label("envelope"), uuidBytes(encounter), fromHex(salt), payload)));
}

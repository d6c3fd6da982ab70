// rewound/dice/1: the derivation of the previous link, of the seal, of an epoch's key, and of the faces of a roll's name.

import { fromHex, joined, measured, number, toHex, utf8, uuidBytes } from "./bytes.mjs";
import { hkdf, hmac, sha256 } from "./sha2.mjs";

const WORDS = 2 ** 32;

function label(use) {
  return joined(utf8(`rewound/dice/1/${use}`), Uint8Array.of(0));
}

/** The link before the one of `epoch`. */
export function earlier(encounter, lane, epoch, link) {
  return sha256(joined(label("chain"), uuidBytes(encounter), number(lane, 1), number(epoch, 4), link));
}

/** The commitment that a seat publishes before it reveals its seed. */
export function seatCommitment(encounter, seat, seed) {
  return sha256(joined(label("seat"), uuidBytes(encounter), measured(seat), seed));
}

/** The commitment to a choice, canonical JSON as bytes, that a seat seals itself. */
export function choiceCommitment(encounter, seat, prompt, salt, choice) {
  return sha256(joined(label("choice"), uuidBytes(encounter), measured(seat), measured(prompt), salt, choice));
}

/** The salt of all keys: `lanes` ordered by number, as [{lane, n, anchor}]; `seeds` as hexadecimal digits by seat. */
export function seal(encounter, lanes, seeds) {
  const anchors = lanes.map(({ lane, n, anchor }) => joined(number(lane, 1), number(n, 4), fromHex(anchor)));
  const seats = Object.keys(seeds).sort();
  const added = seats.map((seat) => joined(measured(seat), fromHex(seeds[seat])));
  const counted = [number(lanes.length, 1), ...anchors, number(seats.length, 2), ...added];
  return sha256(joined(label("seal"), uuidBytes(encounter), ...counted));
}

export function epochKey(encounter, sealed, lane, epoch, link) {
  return hkdf(sealed, link, joined(label("key"), uuidBytes(encounter), number(lane, 1), number(epoch, 4)));
}

function* words(key, stream, place) {
  const name = joined(label("roll"), measured(stream), number(place, 8));
  for (let block = 0; ; block += 1) {
    const view = new DataView(hmac(key, joined(name, number(block, 4))).buffer);
    for (let at = 0; at < 32; at += 4) yield view.getUint32(at);
  }
}

/** The faces of dice with these sides, in order. A word that would favour low faces is skipped. */
export function faces(key, stream, place, sides) {
  const drawn = words(key, stream, place);
  return sides.map((die) => {
    const limit = WORDS - (WORDS % die);
    let word = drawn.next().value;
    while (word >= limit) word = drawn.next().value;
    return 1 + (word % die);
  });
}

/** The commitment in a commit to a payload that is sealed with this salt (64 digits). */
export function commitment(encounter, salt, payload) {
  return toHex(sha256(joined(label("envelope"), uuidBytes(encounter), fromHex(salt), payload)));
}

// Derive every die of rewound/dice/1: the chain of links, the seal, an epoch's key, the faces of a roll.

import { joined, number, unhex, utf8 } from "./bytes.mjs";
import { hkdf, hmacWith, sha256 } from "./sha256.mjs";

export const ALGORITHM = "rewound/dice/1";
export const LANES = [0, 1];
export const MAX_EPOCHS = 65536;
export const MIN_SIDES = 2;
export const MAX_SIDES = 1000000;

const WORDS = 2 ** 32;
const ID = "[a-z0-9][a-z0-9-]{0,23}";
const STREAM = new RegExp(`^${ID}(?:/${ID})*$`);
const MAX_STREAM = 96;

const label = (use) => joined(utf8(`${ALGORITHM}/${use}`), number(0, 1));
const CHAIN = label("chain");
const SEAT = label("seat");
const SEAL = label("seal");
const KEY = label("key");
const ROLL = label("roll");
const ENVELOPE = label("envelope");

/** Tell whether a text may be the id of a seat, creature, side or group. */
export const isId = (text) => typeof text === "string" && new RegExp(`^${ID}$`).test(text);

/** Tell whether a text may name a stream: ids joined by `/`, at most 96 bytes. */
export const isStream = (text) => typeof text === "string" && text.length <= MAX_STREAM && STREAM.test(text);

/** Return the link of epoch *earlier*, from that of a later *epoch*. */
export const walked = (encounter, lane, epoch, link, earlier) => {
  let found = link;
  for (let at = epoch; at > earlier; at -= 1) {
    found = sha256(CHAIN, encounter, number(lane, 1), number(at, 4), found);
  }
  return found;
};

const lengthAndSeed = (seat, seed) => joined(number(seat.length, 2), utf8(seat), seed);

/** Return what a seat published before it told its seed. */
export const seatCommitment = (encounter, seat, seed) => sha256(SEAT, encounter, lengthAndSeed(seat, seed));

/** Return the salt of all keys: lanes as `{lane, n, anchor}` with the anchor's bytes, seeds as `{seat: bytes}`. */
export const sealOf = (encounter, lanes, seeds = {}) => {
  const ordered = [...lanes].sort((one, other) => one.lane - other.lane);
  const seats = Object.keys(seeds).sort();
  return sha256(
    SEAL, encounter, number(ordered.length, 1),
    ...ordered.flatMap(({ lane, n, anchor }) => [number(lane, 1), number(n, 4), anchor]),
    number(seats.length, 2), ...seats.map((seat) => lengthAndSeed(seat, seeds[seat])),
  );
};

/** Return the key of an epoch's dice in a lane: 32 bytes. */
export const epochKey = (encounter, seal, lane, epoch, link) =>
  hkdf(seal, link, joined(KEY, encounter, number(lane, 1), number(epoch, 4)));

/** Return a function (stream, place, sides) that gives the faces of a roll under this key. */
export const facesWith = (key) => {
  const authenticated = hmacWith(key);
  return (stream, place, sides) => {
    const name = joined(ROLL, number(stream.length, 2), utf8(stream), number(place, 8), number(0, 4));
    const count = new DataView(name.buffer, name.length - 4);
    let block = null;
    let taken = 0;
    const word = () => {
      if (taken % 8 === 0) {
        count.setUint32(0, taken / 8);
        block = new DataView(authenticated(name).buffer);
      }
      taken += 1;
      return block.getUint32(4 * ((taken - 1) % 8));
    };
    return sides.map((die) => {
      const limit = WORDS - (WORDS % die);
      let drawn = word();
      while (drawn >= limit) drawn = word();
      return 1 + (drawn % die);
    });
  };
};

/** Return what stands in a commit for a sealed payload. */
export const commitment = (encounter, salt, payload) => sha256(ENVELOPE, encounter, salt, payload);

/** Return lanes as they stand in JSON with their anchors as bytes; null where one is outside the format. */
export const lanesOf = (told) => {
  if (!Array.isArray(told)) return null;
  const found = told.map((each) => ({ lane: each?.lane, n: each?.n, anchor: unhex(each?.anchor) }));
  const isGood = ({ lane, n, anchor }) =>
    LANES.includes(lane) && Number.isInteger(n) && n >= 1 && n <= MAX_EPOCHS && anchor !== null;
  const isOnce = new Set(found.map(({ lane }) => lane)).size === found.length;
  return found.every(isGood) && isOnce ? found : null;
};

// The salt of dice keys. In mode `mixed` every listed seat commits or is waived; then all committed seats reveal.

import { fromHex, same, toHex } from "./bytes.mjs";
import { seal, seatCommitment } from "./dice.mjs";
import { publicEvents } from "./record.mjs";
import { either, hash, having, listOf, mapOf, object, only, seatId, text } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const bySeat = (value) => mapOf(hash)(value) && Object.keys(value).every(seatId);

const SHAPES = {
  seed_committed: having({ seat: seatId, commitment: hash }),
  seed_waived: having({ seat: seatId }),
  seed_revealed: object,
  dice_sealed: having({ seats: bySeat, seal: hash }),
  line_begun: having({
    state: having({
      sealing: having({ committed: bySeat, waived: listOf(seatId), revealed: bySeat, seal: either(only(""), hash) }),
    }),
  }),
};

/**
 * @returns `{salt, n}`: the salt, and the first commit that may throw dice; null if the dice were never sealed
 * @throws Verdict `malformed`, `dice_invalid`
 */
export function sealOf(moments, policy) {
  if (policy.mode === "server") return { salt: seal(policy.encounter, policy.lanes, {}), n: 1 };
  const so = { policy, committed: new Map(), waived: new Set(), isRevealed: false, found: null };
  for (const moment of moments) {
    for (const event of publicEvents(moment)) {
      if (Object.hasOwn(SHAPES, event.type)) take(so, event, { n: moment.n });
      if (so.found) return so.found;
    }
  }
  return null;
}

/** What the seats have sent for the dice in some moments, as a state has it. */
export function sealingAfter(moments) {
  let found = { committed: {}, waived: [], revealed: {}, seal: "" };
  for (const event of moments.flatMap(publicEvents)) {
    if (found.seal !== "") break;
    found = AFTER.get(event.type)?.(found, event) ?? found;
  }
  return found;
}

const put = (members, name, value) => Object.fromEntries([...Object.entries(members).filter(([known]) => known !== name), [name, value]]);

const AFTER = new Map([
  ["seed_committed", (found, { seat, commitment }) => ({ ...found, committed: put(found.committed, seat, commitment) })],
  ["seed_waived", (found, { seat }) => {
    const left = Object.entries(found.committed).filter(([known]) => known !== seat);
    return { ...found, committed: Object.fromEntries(left), waived: [...found.waived, seat] };
  }],
  ["seed_revealed", (found, { seat, seed }) => (text(seat) && text(seed) ? { ...found, revealed: put(found.revealed, seat, seed) } : found)],
  ["dice_sealed", (found, { seal: made }) => ({ ...found, seal: made })],
  ["line_begun", (_, { state: { sealing } }) => sealing],
]);

function take(so, event, place) {
  demand(SHAPES[event.type](event), "malformed", place, "the sealing of the dice is not valid");
  TAKE[event.type](so, event, place);
}

const TAKE = {
  seed_committed(so, { seat, commitment }, place) {
    const isOwed = so.policy.seats.includes(seat) && !so.committed.has(seat) && !so.waived.has(seat) && !so.isRevealed;
    demand(isOwed, "dice_invalid", place, `${seat} may not commit to a seed here`);
    so.committed.set(seat, commitment);
  },

  seed_waived(so, { seat }, place) {
    demand(so.policy.seats.includes(seat) && !so.isRevealed, "dice_invalid", place, `${seat} may not be waived here`);
    so.committed.delete(seat);
    so.waived.add(seat);
  },

  seed_revealed(so) {
    so.isRevealed = true;
  },

  dice_sealed(so, { seats, seal: recorded }, { n }) {
    so.found = { salt: heldSeal(so, seats, recorded, { n }), n };
  },

  /** A line that continues another one begins with the whole sealing. */
  line_begun(so, { state: { sealing } }, { n }) {
    so.committed = new Map(Object.entries(sealing.committed));
    so.waived = new Set(sealing.waived);
    so.isRevealed = Object.keys(sealing.revealed).length > 0;
    if (sealing.seal) so.found = { salt: heldSeal(so, sealing.revealed, sealing.seal, { n }), n };
  },
};

/** The seal of the seeds; each must match its seat's commitment, and no listed seat may be missing. */
function heldSeal({ policy, committed, waived }, seeds, recorded, place) {
  const missing = policy.seats.filter((seat) => !Object.hasOwn(seeds, seat) && !waived.has(seat));
  demand(missing.length === 0, "dice_invalid", place, `the dice are sealed without ${missing}`);
  for (const [seat, seed] of Object.entries(seeds)) {
    const made = toHex(seatCommitment(policy.encounter, seat, fromHex(seed)));
    const isHeld = policy.seats.includes(seat) && made === committed.get(seat);
    demand(isHeld, "dice_invalid", place, `the seed of ${seat} is not the one that it committed to`);
  }
  const salt = seal(policy.encounter, policy.lanes, seeds);
  demand(same(salt, fromHex(recorded)), "dice_invalid", place, "the seal of the dice does not follow from the seeds");
  return salt;
}

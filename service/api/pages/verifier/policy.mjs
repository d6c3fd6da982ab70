// The dice policy in commit 1: algorithm, mode, lanes with their anchors, seats that contribute a seed, owner of the chain.

import { publicEvents } from "./record.mjs";
import { either, exactly, from, hash, listOf, only, text, uuid, whole } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const isPolicy = exactly(
  {
    algorithm: only("rewound/dice/1"),
    mode: only("server", "mixed"),
    lanes: listOf(exactly({ lane: only(0, 1), n: from(1, 65_536), anchor: hash })),
  },
  { chain: either(only(null), uuid), seats: listOf(text), abandoned_before: whole },
);

/**
 * @returns `{mode, lanes, seats, encounter, said, before}`, lanes by their number, `encounter` the one whose id is part of the
 *   hashes of dice, `said` and `before` as a certificate has them; null if nothing was opened, so that no dice can be thrown
 * @throws Verdict `malformed(1)`
 */
export function readPolicy({ moments }) {
  const [first] = moments;
  if (first?.commit.outcome !== "accepted") return null;
  const setup = first.request ? first.request.data.dice : publicEvents(first).find((event) => Object.hasOwn(event, "dice"))?.dice;
  if (setup === undefined || setup === null) return null;
  demand(isPolicy(setup), "malformed", { n: 1 }, "the setup of the dice is not valid");
  const lanes = [...setup.lanes].sort((one, other) => one.lane - other.lane);
  const isTwice = lanes.some(({ lane }, i) => lanes[i - 1]?.lane === lane);
  demand(!isTwice, "malformed", { n: 1 }, "a lane has two anchors");
  const said = {
    algorithm: setup.algorithm, mode: setup.mode,
    lanes: setup.lanes.map(({ lane, n, anchor }) => ({ lane, epochs: n, anchor })), seats: setup.seats ?? [],
  };
  return { mode: setup.mode, lanes, seats: setup.seats ?? [], encounter: setup.chain ?? moments[0].commit.encounter, said, before: setup.abandoned_before ?? 0 };
}

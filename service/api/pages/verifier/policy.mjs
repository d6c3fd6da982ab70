// What commit 1 says of the dice: algorithm, mode, lanes with their anchors, seats that add a seed, whose chain it is.

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
 * @returns `{mode, lanes, seats, encounter}`, lanes by their number, `encounter` the one whose bytes stand in hashes of
 *   dice; null where nothing was opened, so that nothing can be thrown
 * @throws Verdict `malformed(1)`
 */
export function readPolicy({ header, moments }) {
  const [first] = moments;
  if (first?.commit.outcome !== "accepted") return null;
  const told = first.request ? first.request.data.dice : publicEvents(first).find((event) => "dice" in event)?.dice;
  if (told === undefined || told === null) return null;
  demand(isPolicy(told), "malformed", { n: 1 }, "how the dice are derived is not told");
  const lanes = [...told.lanes].sort((one, other) => one.lane - other.lane);
  const isTwice = lanes.some(({ lane }, i) => lanes[i - 1]?.lane === lane);
  demand(!isTwice, "malformed", { n: 1 }, "a lane has two anchors");
  return { mode: told.mode, lanes, seats: told.seats ?? [], encounter: told.chain ?? header.encounter };
}

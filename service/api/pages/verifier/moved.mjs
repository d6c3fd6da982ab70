// Checks who moved the dice: the clock never does, and a command that was signed before throws none.

import { repeated } from "./beginnings.mjs";
import { publicEvents, rollName, rollsOf } from "./record.mjs";
import { demand } from "./verdict.mjs";

/** What the service itself may send. */
const CLOCK_COMMANDS = new Set(["accept_line"]);

/** @throws Verdict `forged_command`, `dice_moved` */
export function holdMoved({ moments }) {
  const shown = new Map();
  const exempt = repeated(moments);
  let movedIn = 0;
  for (const moment of moments) {
    const { n, request, commit } = moment;
    const isNew = throwsAny(moment, shown);
    if (request !== null) {
      const { actor: { seat }, type, signed } = request;
      demand(seat !== "clock" || CLOCK_COMMANDS.has(type), "forged_command", { n }, `the service itself sends no ${type}`);
      const isTaken = commit.outcome === "accepted" || commit.outcome === "sealed";
      const isForged = seat === "clock" && isTaken && commit.events[0]?.type !== "line_accepted";
      demand(!isForged, "forged_command", { n }, "the service itself only accepts lines");
      const isOutdated = signed !== undefined && signed.head.n < movedIn && isNew && !exempt.has(n);
      demand(!isOutdated, "dice_moved", { n }, `${seat} signed it on commit ${signed?.head.n}, commit ${movedIn} moved the dice, and it throws some`);
    }
    if (publicEvents(moment).some(({ type }) => type === "epoch_advanced")) movedIn = n;
  }
}

/** Whether a commit has a seeded die that no earlier commit shows. */
function throwsAny(moment, shown) {
  let isNew = false;
  for (const roll of rollsOf(moment)) {
    const { dice, source } = roll;
    const name = rollName(roll);
    const before = shown.get(name) ?? 0;
    if (source === "seeded" && dice.length > before) isNew = true;
    shown.set(name, Math.max(before, dice.length));
  }
  return isNew;
}

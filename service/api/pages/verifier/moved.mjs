// Checks who moved the dice: the clock never does, and a command that was signed before throws none.

import { publicEvents, rollsOf } from "./record.mjs";
import { demand } from "./verdict.mjs";

/** What the service itself may send. */
const CLOCK_COMMANDS = new Set(["accept_line"]);

/** @throws Verdict `forged_command`, `dice_moved` */
export function holdMoved({ moments }) {
  const shown = new Map();
  let movedIn = 0;
  let isProposed = false;
  for (const moment of moments) {
    const { n, request } = moment;
    const isNew = throwsAny(moment, shown);
    if (request !== null) {
      const { actor: { seat }, type, signed } = request;
      demand(seat !== "clock" || CLOCK_COMMANDS.has(type), "forged_command", { n }, `the service itself sends no ${type}`);
      const isOutdated = signed !== undefined && signed.head.n < movedIn && isNew && !isProposed;
      demand(!isOutdated, "dice_moved", { n }, `${seat} signed it on commit ${signed?.head.n}, commit ${movedIn} moved the dice, and it throws some`);
    }
    for (const { type } of publicEvents(moment)) {
      if (type === "epoch_advanced") movedIn = n;
      if (type === "line_begun") isProposed = true;
      if (type === "line_accepted") isProposed = false;
    }
  }
}

/** Whether a commit has a seeded die that no earlier commit shows. */
function throwsAny(moment, shown) {
  let isNew = false;
  for (const { name: { epoch, lane, stream, place }, dice, source } of rollsOf(moment)) {
    const name = `${epoch}/${lane}/${stream}#${place}`;
    const before = shown.get(name) ?? 0;
    if (source === "seeded" && dice.length > before) isNew = true;
    shown.set(name, Math.max(before, dice.length));
  }
  return isNew;
}

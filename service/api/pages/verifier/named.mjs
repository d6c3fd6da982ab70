// Checks that what is recorded in a seat's name is what its command says.
//
// Seats, keys, seeds and choices bind a host also without the rules: each of these events repeats what a command sent.

import { spelled } from "./canonical.mjs";
import { eventsOf } from "./record.mjs";
import { demand } from "./verdict.mjs";

const repeats = (...names) => (event, { data }) => names.every((name) => spelled(event[name] ?? null) === spelled(data[name] ?? null));
const isOfSeat = ({ seat }, { actor }) => actor.seat === seat;
const byGm = (_, { actor }) => actor.seat === "gm";
const byGmOrSeat = (event, request) => byGm(event, request) || isOfSeat(event, request);
const waives = ({ seat }, { actor, data }) => (data.seat ?? actor.seat) === seat;
const all = (...checks) => (event, request) => checks.every((check) => check(event, request));

/** By the type of an event: the commands that it stands for, and what of them it repeats. */
const NAMED = new Map([
  ["seat_key_set", [["set_seat_key", "issue_token", "open_seat"], all(byGmOrSeat, repeats("seat", "key"))]],
  ["seat_key_removed", [["remove_seat_key"], all(byGm, repeats("seat"))]],
  ["seed_committed", [["commit_seed"], all(isOfSeat, repeats("commitment"))]],
  ["seed_waived", [["waive_seed"], all(byGmOrSeat, waives)]],
  ["epoch_advanced", [["advance_epoch", "accept_history"], byGm]],
  ["dice_declared", [["throw_dice"], all(isOfSeat, repeats("faces"))]],
  ["seat_choice_committed", [["seal_choice"], all(isOfSeat, repeats("prompt", "commitment"))]],
  ["seat_choice_opened", [["open_choice"], all(isOfSeat, repeats("prompt", "choice", "salt"))]],
]);

/**
 * A withheld request is compared with nothing.
 * @throws Verdict `forged_command`
 */
export function holdNamed({ moments }) {
  for (const moment of moments) {
    const { n, request } = moment;
    for (const event of request === null ? [] : eventsOf(moment)) {
      const [commands, fits] = NAMED.get(event.type) ?? [];
      const isTheirs = commands === undefined || (commands.includes(request.type) && fits(event, request));
      demand(isTheirs, "forged_command", { n }, `the event ${event.type} says other than its command, ${request.type}`);
    }
  }
}

// Checks that what is recorded in a seat's name is what its command says.
//
// Seats, keys, seeds, choices and decisions bind a host also without the rules: each of these events repeats what a command
// sent. Some of them never stand beside an envelope, beside which a request may be withheld.

import { spelled } from "./canonical.mjs";
import { eventsOf, isEnvelope, publicEvents } from "./record.mjs";
import { demand } from "./verdict.mjs";

const repeats = (...names) => (event, { data }) => names.every((name) => spelled(event[name] ?? null) === spelled(data[name] ?? null));
const isOfSeat = ({ seat }, { actor }) => actor.seat === seat;
const byGm = (_, { actor }) => actor.seat === "gm";
const byGmOrSeat = (event, request) => byGm(event, request) || isOfSeat(event, request);
const waives = ({ seat }, { actor, data }) => (data.seat ?? actor.seat) === seat;
const says = (...names) => (event, { data }) => names.every((name) => spelled(event[name] ?? "") === spelled(data[name] ?? ""));
const KIND_OF = new Map([["amend", "as_ruled"], ["undo", "undo"], ["redo", "redo"]]);
const proposes = (event, request) =>
  KIND_OF.get(request.type) === event.kind && (request.type === "undo" ? repeats("commit") : repeats("contest"))(event, request);
const drops = (event, request) => request.type !== "drop_amendment" || repeats("amendment")(event, request);
const all = (...checks) => (event, request) => checks.every((check) => check(event, request));

/** By the type of an event: the commands that it stands for, null for any, and what of them it repeats. */
const NAMED = new Map([
  ["seat_key_set", [["set_seat_key", "issue_token", "open_seat"], all(byGmOrSeat, repeats("seat", "key"))]],
  ["seat_key_removed", [["remove_seat_key"], all(byGm, repeats("seat"))]],
  ["seed_committed", [["commit_seed"], all(isOfSeat, repeats("commitment"))]],
  ["seed_waived", [["waive_seed"], all(byGmOrSeat, waives)]],
  ["seed_revealed", [["reveal_seed"], all(isOfSeat, repeats("seed"))]],
  ["epoch_advanced", [["advance_epoch", "accept_history"], all(byGm, repeats("reason", "lost"))]],
  ["dice_declared", [["throw_dice"], all(isOfSeat, repeats("faces"))]],
  ["seat_choice_committed", [["seal_choice"], all(isOfSeat, repeats("prompt", "commitment"))]],
  ["seat_choice_opened", [["open_choice"], all(isOfSeat, repeats("prompt", "choice", "salt"))]],
  ["seat_choice_forfeited", [["forfeit_choice"], all(byGm, repeats("prompt", "reason"))]],
  ["seat_choice_voided", [["open_choice"], repeats("prompt")]],
  ["contest_opened", [["contest"], all(isOfSeat, repeats("commit", "claim", "event", "roll"))]],
  ["contest_closed", [["uphold", "accept_amendment", "gm_ruling"], byGm]],
  ["gm_ruling_recorded", [null, isOfSeat]],
  ["amendment_proposed", [[...KIND_OF.keys()], all(byGm, proposes, says("decision", "reason"))]],
  ["amendment_dropped", [["drop_amendment", ...KIND_OF.keys()], all(byGm, drops)]],
  ["continued", [["accept_amendment"], all(byGm, repeats("encounter", "amendment", "head"))]],
  ["line_begun", [["begin_line"], all(byGm, repeats("encounter", "origin", "plan", "state"))]],
  ["line_accepted", [["accept_line"], repeats("parent", "seats", "contests")]],
]);

/** Types of events beside which no envelope stands; the proposal of an undo or a redo is another. */
const OPEN = new Set(["seat_key_set", "seat_key_removed", "seed_committed", "epoch_advanced", "contest_opened", "continued"]);

function holdOpen(moment) {
  if (!moment.commit.events.some(isEnvelope)) return;
  for (const { type, kind } of publicEvents(moment)) {
    const isOpen = OPEN.has(type) || (type === "amendment_proposed" && kind !== "as_ruled");
    demand(!isOpen, "forged_command", { n: moment.n }, `an envelope stands beside the event ${type}`);
  }
}

/**
 * A withheld request is compared with nothing.
 * @throws Verdict `forged_command`
 */
export function holdNamed({ moments }) {
  for (const moment of moments) {
    const { n, request } = moment;
    holdOpen(moment);
    for (const event of request === null ? [] : eventsOf(moment)) {
      const [commands, fits] = NAMED.get(event.type) ?? [];
      const isTheirs = commands === undefined || ((commands?.includes(request.type) ?? true) && fits(event, request));
      demand(isTheirs, "forged_command", { n }, `the event ${event.type} says other than its command, ${request.type}`);
    }
  }
}

// Lists what people decided outside the rules: the gm's rulings and changes, the host's vetoes and losses.

import { repeated } from "./beginnings.mjs";
import { claimsLoss } from "./heads.mjs";
import { publicEvents } from "./record.mjs";
import { demand } from "./verdict.mjs";

/** The kind of each type of event that records a decision. */
export const KINDS = {
  amendment_dropped: "amendment",
  amendment_proposed: "amendment",
  contest_closed: "contest",
  contest_opened: "contest",
  continued: "line",
  epoch_advanced: "epoch",
  forked: "line",
  gm_ruling_recorded: "ruling",
  line_accepted: "line",
  line_begun: "line",
  ruling_made: "ruling",
  seat_choice_forfeited: "forfeit",
  seat_choice_voided: "forfeit",
  seat_key_removed: "key",
  seat_key_set: "key",
  seed_waived: "waiver",
  stream_redirected: "epoch",
};

const ORDER = ["veto", "loss", "epoch", "line", "ruling", "amendment", "contest", "key", "waiver", "forfeit"];

/** Members that hold a whole state, which the record has. */
const WHOLE = new Set(["state", "orders", "seats", "contests"]);
const FEW = 8;

/** Every decision: `{n, kind, seat, event}`, or of a veto `quarantine` in place of the event. */
export function decisionsOf({ moments }) {
  return moments.flatMap((moment) => {
    const { n, request, commit: { quarantine } } = moment;
    const seat = request === null ? null : request.actor.seat;
    const vetoes = quarantine === undefined ? [] : [{ n, kind: "veto", seat, quarantine }];
    const events = publicEvents(moment).filter(({ type }) => Object.hasOwn(KINDS, type));
    return [...vetoes, ...events.map((event) => ({ n, kind: kindOf(event), seat, event: without(event) }))];
  });
}

const kindOf = (event) => (claimsLoss(event) ? "loss" : KINDS[event.type]);

const without = (event) => Object.fromEntries(Object.entries(event).filter(([name]) => !WHOLE.has(name)));

/** What came between the head that a seat signed on and its command, of each where something did. */
export function unseenOf({ moments }, decisions) {
  const sent = numbersBySeat(moments.filter(({ request }) => request !== null).map(({ n, request }) => ({ n, seat: request.actor.seat })));
  const owned = numbersBySeat(decisions);
  const decided = inOrder(decisions.map(({ n }) => n));
  const exempt = repeated(moments); // signed in the line before, where the head has its place
  return moments.flatMap(({ n, request }) => {
    if (request === null || request.signed === undefined || exempt.has(n)) return [];
    const { actor: { seat }, signed: { head } } = request;
    const others = Math.max(0, n - 1 - head.n) - between(sent.get(seat), head.n, n);
    if (others <= 0) return [];
    const made = between(decided, head.n, n) - between(owned.get(seat) ?? [], head.n, n);
    return [{ n, seat, head: head.n, commits: others, decisions: made }];
  });
}

/**
 * Holds what came between to the bound of a policy.
 * @throws Verdict `outdated`
 */
export function holdUnseen(unseen, most) {
  for (const { n, seat, head, commits, decisions } of unseen) {
    const isLate = commits > most.commits || decisions > most.decisions;
    demand(!isLate, "outdated", { n }, `${seat} signed it on commit ${head}; ${commits} commits of others came between, ${decisions} of them decisions`);
  }
}

const inOrder = (numbers) => [...new Set(numbers)].sort((one, other) => one - other);

function numbersBySeat(each) {
  const found = new Map();
  for (const { n, seat } of each) {
    if (!found.has(seat)) found.set(seat, []);
    found.get(seat).push(n);
  }
  return new Map([...found].map(([seat, numbers]) => [seat, inOrder(numbers)]));
}

/** How many of rising numbers are above `head` and below `n`. */
const between = (numbers, head, n) => Math.max(0, below(numbers, n) - below(numbers, head + 1));

/** How many of rising numbers are below `n`, by bisection. */
function below(numbers, n) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < n) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Each kind of decision that was made, in order, and a line about them. */
export function summaryOf(decisions) {
  const kinds = [...new Set(decisions.map(({ kind }) => kind))].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
  return kinds.map((kind) => [kind, lineOf(kind, decisions.filter((each) => each.kind === kind))]);
}

function lineOf(kind, each) {
  const numbers = [...new Set(each.map(({ n }) => n))];
  const more = numbers.length > FEW ? ` and ${numbers.length - FEW} more` : "";
  const seats = [...new Set(each.map(({ seat }) => seat).filter((seat) => seat !== null))].sort();
  const by = seats.length > 0 && kind !== "veto" ? `, by ${seats.join(", ")}` : "";
  const what = `${each.length}${by}: commit${numbers.length > 1 ? "s" : ""} ${numbers.slice(0, FEW).join(", ")}${more}`;
  if (kind !== "veto") return what;
  const causes = each.map(({ quarantine: { cause } }) => cause);
  const told = [...new Set(causes)].map((cause) => `${causes.filter((one) => one === cause).length} ${cause}`).join(", ");
  const unproved = causes.includes("killed") ? "; nobody but the host knows whether workers died" : "";
  const unrepeated = causes.includes("crashed") ? "; whether deciding fails is not checked here" : "";
  return `${what}; set aside by the host without a decision (${told})${unproved}${unrepeated}`;
}

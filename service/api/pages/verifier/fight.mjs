// Holds each line of play to those that it continues: where it left them, what it repeats, who accepted it.

import { toHex } from "./bytes.mjs";
import { spelled } from "./canonical.mjs";
import { beginnings } from "./beginnings.mjs";
import { publicEvents } from "./record.mjs";
import { sealingAfter } from "./sealing.mjs";
import { object, text, whole } from "./shapes.mjs";
import { keysAtEnd, keysOfSeats } from "./seatkeys.mjs";
import { demand } from "./verdict.mjs";

/** Commands that no line of play repeats: about lines, about seats, and about seeds. */
const NOT_REPEATED = new Set([
  "accept_amendment", "accept_line", "amend", "begin_line", "change_seat", "close_seat", "commit_seed", "contest", "drop_amendment", "issue_token",
  "open_seat", "redo", "remove_seat_key", "reveal_seed", "set_seat_key", "undo", "uphold", "waive_seed",
]);
const COUNTS = new Set(["accepted", "sealed"]);

/** A line of play with its own beginning, null if it is the first. */
export const withBeginning = (line) => ({ ...line, begun: beginnings(line.moments).findLast((each) => each.line === line.encounter) ?? null });

/**
 * The line that a line continues, and the one in which that was ruled; null if it continues none, or if one is not in the file.
 */
function earlierOf(line, lines) {
  if (line.begun === null) return null;
  const { parent: named, ruled_in: ruledIn } = line.begun.origin;
  const find = (id) => lines.find(({ encounter }) => encounter === id && encounter !== line.encounter);
  const [parent, ruled] = [find(named), find(ruledIn || named)];
  return parent && ruled ? { parent, ruled } : null;
}

/**
 * Checks the beginning of a line.
 * @throws Verdict `seam_broken`
 */
export function holdSeam(line, lines) {
  const earlier = earlierOf(line, lines);
  if (earlier === null) return;
  const { begun } = line;
  const { parent, ruled } = earlier;
  const n = begun.n - 1;
  const isLeft = n <= parent.moments.length && toHex(parent.moments[n - 1].hash) === toHex(line.moments[n - 1].hash);
  const above = lines.slice(0, lines.indexOf(line));
  demand([parent, ruled].every((each) => above.includes(each)), "seam_broken", { n: begun.n }, "it stands above what it continues");
  demand(isLeft, "seam_broken", { n: begun.n }, `commit ${n} of ${parent.encounter} is not the one that it continues`);
  const proposed = proposalOf(ruled, begun);
  holdRedone(begun, above);
  holdPlan(line, parent, proposed);
  holdSeeds(line, ruled.moments.slice(0, proposed));
  holdAcceptance(line, ruled);
}

const proposalsOf = ({ moments }, { origin }) =>
  moments.flatMap((moment) => publicEvents(moment).filter(({ type, amendment }) => type === "amendment_proposed" && amendment === origin.amendment).map((event) => ({ n: moment.n, event })));

function proposalOf(ruled, begun) {
  const broken = { n: begun.n };
  const found = proposalsOf(ruled, begun).at(-1);
  demand(found !== undefined, "seam_broken", broken, "nobody proposed it");
  const { n, event } = found;
  demand(event.kind === begun.origin.kind, "seam_broken", broken, `it was proposed as ${event.kind}`);
  const { request: sent } = ruled.moments[n - 1];
  demand(sent === null || proposes(sent, event), "seam_broken", broken, `commit ${n} does not propose what its seat sent`);
  const isThere = event.kind === "redo" || (event.commit === begun.n && n === begun.origin.upto);
  demand(isThere, "seam_broken", broken, `commit ${n} proposed to continue before commit ${event.commit}`);
  const isContested = event.kind !== "as_ruled" || contestedIn(ruled.moments.slice(0, n), event.contest) === begun.n;
  demand(isContested, "seam_broken", broken, `commit ${n} answers a contest of another commit`);
  const isDropped = ({ type, amendment }) => type === "amendment_dropped" && amendment === begun.origin.amendment;
  demand(!ruled.moments.slice(n).some((moment) => publicEvents(moment).some(isDropped)), "seam_broken", broken, `what commit ${n} proposed was dropped`);
  return n;
}

/** The commit that a contest is about; undefined if nobody opened it in these moments. */
const contestedIn = (moments, wanted) =>
  moments.flatMap(publicEvents).findLast(({ type, contest }) => type === "contest_opened" && contest === (text(wanted) ? wanted : ""))?.commit;

/** A redo restores what the last undo took back that no redo has restored. */
function holdRedone({ n, origin }, above) {
  if (origin.kind !== "redo") return;
  const steps = [];
  let at = above.find(({ encounter }) => encounter === origin.ruled_in);
  for (; at !== undefined && steps.length < above.length; at = above.find(({ encounter }) => encounter === (steps[0].ruled_in || steps[0].parent))) {
    const step = at.begun?.origin;
    if (!(whole(step?.levels) && step.levels > 0)) break;
    steps.unshift(step);
  }
  if (at === undefined || steps.length === above.length) return; // what it restores is not in the file
  let restored = [];
  for (const { kind, parent, upto, levels } of steps) {
    restored = kind === "redo" ? restored.slice(1) : [{ parent, last: upto - 1 }, ...restored.slice(0, levels - 1)];
  }
  const isIt = restored.length > 0 && restored[0].parent === origin.parent && restored[0].last === origin.n && origin.upto === origin.n;
  demand(isIt, "seam_broken", { n }, "it does not go on from what the last undo took back");
}

/** A line goes on with the seeds that the seats have sent. */
function holdSeeds({ moments, begun: { n }, mode }, before) {
  if (mode !== "mixed") return;
  const { sealing } = moments[n - 1].commit.events[0].state;
  demand(spelled(sealing) === spelled(sealingAfter(before)), "seam_broken", { n }, "it goes on with other seeds than the seats sent");
}

const PROPOSES = new Map([["amend", "as_ruled"], ["undo", "undo"], ["redo", "redo"]]);

/** Whether an event says what a command proposed. */
function proposes({ type, data }, { kind, commit }) {
  return PROPOSES.get(type) === kind && (type !== "undo" || (whole(commit) && data.commit === commit));
}

/** Whether an event says what a command accepted, which its seat has signed if it has a key. */
function accepts({ type, data }, event) {
  const isSame = ["encounter", "amendment", "head"].every((name) => spelled(data[name] ?? null) === spelled(event[name] ?? null));
  return type === "accept_amendment" && isSame;
}

/** What a line repeats is what its ruling says, as it was given, and nothing else. */
function holdPlan(line, parent, proposed) {
  const { n, origin, plan } = line.begun;
  if (origin.kind !== "as_ruled") return demand(plan.length === 0, "seam_broken", { n }, "an undo or a redo repeats no command");
  const ruling = parent.moments[proposed - 1]?.request ?? null;
  const instead = ruling?.data.instead;
  const added = plan.filter((old) => old === 0).length;
  const isRead = ruling === null || (Array.isArray(instead) && instead.length === added);
  demand(isRead && plan.slice(0, added).every((old) => old === 0), "seam_broken", { n }, "it adds other commands than its ruling");
  for (let i = 0; Array.isArray(instead) && i < added; i += 1) holdAdded(line, parent, i, instead[i]);
  holdRepeated(line, parent, added, proposed);
}

function holdAdded({ moments, begun }, parent, i, said) {
  const n = begun.n + 1 + i;
  const [now, then] = [moments[n - 1]?.request ?? null, parent.moments[begun.n - 1]?.request ?? null];
  if (now === null || then === null) return;
  const named = object(said) && Object.hasOwn(said, "by") ? said.by : "sender";
  const isTheirs = named === "sender" && then.actor.seat !== "clock";
  const by = isTheirs ? then.actor : { seat: "gm", role: "gm" };
  const isIt = object(said) && spelled(now.actor) === spelled(by) && now.type === said.type && now.at === then.at && object(said.data) && spelled(now.data) === spelled(said.data);
  demand(isIt, "seam_broken", { n }, "it is not the command that the ruling put there");
}

function holdRepeated({ moments, begun }, parent, added, proposed) {
  const olds = begun.plan.slice(added);
  const rises = olds.every((old, i) => old !== 0 && (i === 0 || old > olds[i - 1]));
  demand(rises, "seam_broken", { n: begun.n }, "it repeats commands twice or out of order");
  const known = new Map(olds.map((old, i) => [old, begun.n + 1 + added + i]));
  for (const [old, n] of known) demand(begun.n < old && old < proposed, "seam_broken", { n }, `it repeats command ${old}, which was not taken back`);
  for (const { n, commit, request: then } of parent.moments.slice(begun.n, proposed - 1)) {
    const counts = COUNTS.has(commit.outcome);
    const isPlay = then === null || !NOT_REPEATED.has(then.type);
    if (!known.has(n)) {
      demand(!(counts && then !== null && isPlay), "seam_broken", { n: begun.n }, `it leaves out command ${n}`);
      continue;
    }
    const now = moments[known.get(n) - 1]?.request ?? null;
    const isSame = then === null || now === null || spelled(repeatedAs(then)) === spelled(given(now));
    demand(counts && isPlay && isSame, "seam_broken", { n: known.get(n) }, `it is not command ${n} as it was given`);
  }
}

const without = (value, name) => Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));

/** A command without the line of play that it was sent to. */
const given = (request) => without(request, "encounter");

/** How a command is repeated: without its array, and without the contest that it answered. */
const repeatedAs = (request) => ({ ...given(request), batch: null, data: without(request.data, "contest") });

/** The line in which it was ruled ends with its acceptance, by number and hash. */
function holdAcceptance({ encounter, moments, begun }, ruled) {
  const { n, drafted, accepted, origin } = begun;
  const ended = endOf(ruled.moments);
  demand(ended !== undefined, "seam_broken", { n }, "its parent has not accepted it");
  const { said, moment: { n: at, request: sent } } = ended;
  demand(sent === null || accepts(sent, said), "seam_broken", { n }, `commit ${at} does not accept what its seat sent`);
  demand(said.encounter === encounter && said.amendment === origin.amendment, "seam_broken", { n }, "its parent is continued by another line");
  const isHead = object(said.head) && drafted <= moments.length && said.head.n === drafted && said.head.hash === toHex(moments[drafted - 1].hash);
  demand(isHead, "seam_broken", { n: drafted }, `commit ${drafted} is not the one that its parent accepted`);
  if (accepted === null) return;
  const { request, commit } = moments[accepted - 1];
  demand(request === null || request.actor.role === "clock", "seam_broken", { n: accepted }, "the service alone says that a line is accepted");
  const [then, now] = [keysAtEnd(ruled.moments), keysOfSeats(commit.events[0].seats)];
  const isSame = then.size === now.size && [...then].every(([seat, key]) => now.get(seat) === key);
  demand(isSame, "seam_broken", { n: accepted }, "its seats have other keys than they had in its parent");
}

/** The event with which a record ends, if it does, and its moment: only refused commands may follow it. */
function endOf(moments) {
  const moment = moments.findLast(({ commit }) => COUNTS.has(commit.outcome) || commit.events.some(({ type }) => type === "continued"));
  const said = moment?.commit.events.find(({ type }) => type === "continued");
  return said === undefined ? undefined : { said, moment };
}

/**
 * Checks that a line was accepted.
 * @throws Verdict `not_accepted`
 */
export function holdAccepted({ begun }) {
  const isAccepted = begun === null || begun.accepted !== null;
  demand(isAccepted, "not_accepted", { n: begun?.n }, `commit ${begun?.n} begins a line of play that nobody has accepted`);
}

/**
 * Checks that what each line continues is in the file, first of the one that is played.
 * @throws Verdict `valid_in_part`
 */
export function holdWhole(lines) {
  for (const { moments } of [lines.at(-1), ...lines]) holdKnown(moments, lines);
}

function holdKnown(moments, lines) {
  const [first] = moments[0].commit.events;
  demand(first?.type !== "forked", "valid_in_part", { n: 1 }, `it is a fork of ${first?.origin?.parent}, whose record is not in this file`);
  for (const each of beginnings(moments)) {
    const line = lines.find(({ encounter }) => encounter === each.line);
    const isHere = line !== undefined && earlierOf(line, lines) !== null;
    demand(isHere, "valid_in_part", { n: each.n }, `what ${each.line} continues and took back is not in this file`);
  }
}

/** The accepted rulings of a fight, in the order of its lines: what each took back, and whether dice were drawn anew. */
export function ruledLines(lines) {
  return lines.flatMap((line) => {
    const earlier = earlierOf(line, lines);
    if (earlier === null || line.begun.accepted === null) return [];
    const { parent, ruled } = earlier;
    const { n, origin } = line.begun;
    const { n: proposed, event } = proposalsOf(ruled, line.begun).at(-1);
    const first = origin.kind === "redo" ? ruled.begun?.n ?? 1 : n;
    return [{
      line: line.encounter, n, kind: origin.kind, by: ruled.moments[proposed - 1].request?.actor.seat ?? "", decision: event.decision || event.reason || "",
      parent: parent.encounter, took_back: first <= proposed - 1 ? [first, proposed - 1] : null, drawn_anew: drawnAnew(line.moments.slice(n - 1)),
    }];
  });
}

/** How many streams were drawn from other dice, up to where another line begins. */
function drawnAnew(moments) {
  const end = moments.findIndex(({ commit }, i) => i > 0 && commit.events.some(({ type }) => type === "line_begun"));
  return moments.slice(0, end < 0 ? undefined : end).flatMap(({ commit }) => commit.events).filter(({ type }) => type === "stream_redirected").length;
}

// Parses the contents of lines: commits, requests, payloads and rolls must fit their schemas, or the bundle is `malformed`.

import { utf8 } from "./bytes.mjs";
import { parsed } from "./canonical.mjs";
import { digits, either, exactly, from, hash, having, list, listOf, mapOf, matching, object, only, text, truth, uuid, whole } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const INSTANT = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;
const STREAM = /^(?=.{1,96}$)[a-z0-9][a-z0-9-]{0,23}(\/[a-z0-9][a-z0-9-]{0,23})*$/;

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a value is a valid timestamp of the Gregorian calendar. */
function instant(value) {
  if (!matching(INSTANT)(value)) return false;
  const [year, month, day] = [value.slice(0, 4), value.slice(5, 7), value.slice(8, 10)].map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= DAYS[month - 1] && (month !== 2 || day < 29 || isLeap);
}

const isRequest = exactly(
  {
    v: only(1),
    encounter: text,
    type: text,
    at: instant,
    nonce: digits(32),
    actor: exactly({ seat: text, role: text }),
    batch: either(only(null), exactly({ id: text, index: whole, of: whole, stop: truth })),
    data: object,
  },
  { signed: exactly({ key: text, index: whole, head: exactly({ n: whole, hash }), signature: digits(128) }) },
);

export const isEnvelope = (event) => Object.hasOwn(event, "sealed");

const envelope = exactly({ sealed: hash, audience: listOf(text), opens: text });
const plainEvent = (value) => having({ type: text, because: list })(value) && !isEnvelope(value);

const die = (value) =>
  exactly({ role: text, sides: from(2, 1_000_000), face: from(1) }, { dropped: only(true) })(value) && value.face <= value.sides;

const scalar = either(text, whole, truth, only(null));
const members = {
  name: exactly({ epoch: from(1), lane: only(0, 1), stream: matching(STREAM), place: from(0) }),
  purpose: mapOf(either(scalar, listOf(scalar))),
  dice: listOf(die),
  terms: listOf(exactly({ amount: whole, what: text, rule: text })),
};
const roll = either(
  exactly({ ...members, source: only("seeded") }),
  exactly({ ...members, source: only("declared"), by: text }),
);

const commit = {
  v: only(1),
  encounter: uuid,
  n: whole,
  prev: hash,
  at: text,
  edition: text,
  epoch: whole,
  request: hash,
  events: listOf(either(envelope, plainEvent)),
  rolls: listOf(roll),
};
/** What a command without an effect has in place of events and rolls. */
const nothing = (value) => list(value) && value.length === 0;
const without = { ...commit, events: nothing, rolls: nothing };
const textOrNull = either(text, only(null));
const isCommit = either(
  exactly({ ...commit, outcome: only("accepted", "sealed") }),
  exactly({ ...without, outcome: only("quarantined"), quarantine: exactly({ cause: only("crashed", "killed", "disputed"), code: hash, error: textOrNull, place: textOrNull, rule: textOrNull }) }),
  exactly({ ...without, outcome: only("refused"), refusal: exactly({ code: text, detail: text, rule: textOrNull }) }),
);

const isPayload = having({ events: listOf(plainEvent), rolls: listOf(roll) }, { fields: mapOf(object) });

/**
 * Parses the moments of a bundle: their `commit` with its `bytes`, their `request` (null if it is withheld
 * or malformed), and the `payload` of each opened envelope.
 * @throws Verdict `malformed`; `tampered` if a text is empty, which means that it is missing
 */
export function readRecord({ moments }) {
  const unread = moments.filter(({ commit }) => commit === undefined); // lines of play share moments
  unread.forEach(readCommit);
  unread.forEach(readRequest);
  unread.forEach(readOpened);
}

/** The commit of a moment, also if its line of play is judged later; null if its text is not a commit. */
export function commitOf({ commit, commitText }) {
  const found = commit ?? parsed(commitText);
  return isCommit(found) ? found : null;
}

function readCommit(moment) {
  const { n, commitText } = moment;
  demand(commitText !== "", "tampered", { n }, "the commit is missing");
  moment.commit = parsed(commitText);
  moment.bytes = utf8(commitText);
  demand(isCommit(moment.commit), "malformed", { n }, "the commit is not a valid commit");
}

/** A malformed request must have been refused with the code `malformed`. */
function readRequest(moment) {
  const { n, requestText, commit: { refusal } } = moment;
  demand(requestText !== "", "tampered", { n }, "the request is missing");
  const request = requestText === null ? null : parsed(requestText);
  const isOne = isRequest(request);
  const wasRefusedForIt = refusal?.code === "malformed";
  demand(requestText === null || isOne || wasRefusedForIt, "malformed", { n }, "the request is not a valid request");
  moment.request = isOne ? request : null;
}

function readOpened({ n, opened, commit }) {
  opened.sort((one, other) => one.index - other.index);
  for (const each of opened) {
    const event = commit.events[each.index];
    demand(event !== undefined && isEnvelope(event), "malformed", { n }, `there is no envelope ${each.index} to open`);
    each.payload = parsed(each.sealed);
    demand(isPayload(each.payload), "malformed", { n }, `the payload of envelope ${each.index} is not valid`);
  }
}

/** The public events of a moment. */
export function publicEvents({ commit }) {
  return commit.events.filter((event) => !isEnvelope(event));
}

/** The events of a moment that the reader may see; an opened envelope is replaced by its events. */
export function eventsOf({ commit, opened }) {
  const inside = new Map(opened.map(({ index, payload }) => [index, payload.events]));
  return commit.events.flatMap((event, index) => (isEnvelope(event) ? (inside.get(index) ?? []) : [event]));
}

/** The name of a roll as text. */
export const rollName = ({ name: { epoch, lane, stream, place } }) => `${epoch}/${lane}/${stream}#${place}`;

/** The rolls of a moment that the reader may see. */
export function rollsOf({ commit, opened }) {
  return [...commit.rolls, ...opened.flatMap(({ payload }) => payload.rolls)];
}

// Hold commits, requests, envelopes and rolls to their form: what is none of these is `malformed`.

import { hex, unhex, uuidBytes } from "./bytes.mjs";
import { NotCanonical, parse, parsed } from "./canonical.mjs";
import { isStream, LANES, MAX_SIDES, MIN_SIDES } from "./dice.mjs";
import { sha256 } from "./sha256.mjs";
import { Fault } from "./verdict.mjs";

const isText = (value) => typeof value === "string";
const isWhole = (value) => Number.isInteger(value);
const isList = Array.isArray;
/** Tell whether a value is an object, and no list. */
export const isObject = (value) => value !== null && typeof value === "object" && !isList(value);
const isHash = (value) => unhex(value) !== null;

const MEMBERS = {
  at: isText, edition: isText, encounter: isText, epoch: isWhole, events: isList, n: isWhole,
  outcome: (value) => ["accepted", "refused", "sealed", "quarantined"].includes(value),
  prev: isHash, request: isHash, rolls: isList, v: (value) => value === 1,
};
const REFUSAL = ["code", "detail", "rule"];
const ENVELOPE = ["sealed", "audience", "opens"];

/** Tell whether an object has exactly these members, those of *maybe* or not. */
export const hasExactly = (value, names, maybe = []) =>
  isObject(value) && names.every((name) => name in value)
  && Object.keys(value).every((name) => names.includes(name) || maybe.includes(name));

const isTerm = (term) =>
  hasExactly(term, ["amount", "what", "rule"]) && isWhole(term.amount) && isText(term.what) && isText(term.rule);

const isDie = (die) =>
  hasExactly(die, ["role", "sides", "face"], ["dropped"]) && isText(die.role) && isWhole(die.sides)
  && isWhole(die.face) && die.sides >= MIN_SIDES && die.sides <= MAX_SIDES && die.face >= 1
  && die.face <= die.sides && (!("dropped" in die) || die.dropped === true);

const isName = (name) =>
  hasExactly(name, ["epoch", "lane", "stream", "place"]) && isWhole(name.epoch) && name.epoch >= 1
  && LANES.includes(name.lane) && isStream(name.stream) && isWhole(name.place) && name.place >= 0;

const isPlain = (value) => !isObject(value) && !(isList(value) && value.some((item) => isObject(item) || isList(item)));

const isRoll = (roll) =>
  hasExactly(roll, ["name", "purpose", "dice", "terms", "source"], ["by"]) && isName(roll.name)
  && isObject(roll.purpose) && Object.values(roll.purpose).every(isPlain)
  && isList(roll.dice) && roll.dice.every(isDie) && isList(roll.terms) && roll.terms.every(isTerm)
  && ("by" in roll ? roll.source === "declared" && isText(roll.by) : roll.source === "seeded");

/** Tell whether an event is an envelope. */
export const isEnvelope = (event) => isObject(event) && "sealed" in event;

const isEvent = (event) => {
  if (!isObject(event)) return false;
  if (!isEnvelope(event)) return isText(event.type) && isList(event.because);
  return hasExactly(event, ENVELOPE) && isHash(event.sealed) && isText(event.opens)
    && isList(event.audience) && event.audience.every(isText);
};

/** Return why a value is no commit, null where it is one. */
const faultOf = (data) => {
  if (!hasExactly(data, Object.keys(MEMBERS), ["refusal"])) return "its members are not those of a commit";
  const wrong = Object.keys(MEMBERS).find((name) => !MEMBERS[name](data[name]));
  if (wrong) return `${wrong} is not as it must be`;
  if ("refusal" in data !== (data.outcome === "refused")) return "a refusal stands where one was, nowhere else";
  if ("refusal" in data && !hasExactly(data.refusal, REFUSAL)) return "code, detail and rule are wanted";
  const event = data.events.findIndex((each) => !isEvent(each));
  if (event >= 0) return `event ${event} is none`;
  const roll = data.rolls.findIndex((each) => !isRoll(each));
  return roll >= 0 ? `roll ${roll} is none` : null;
};

/** Return a commit with its hash and bytes; throws a `Fault`. */
const commitOf = (raw, n) => {
  if (raw.length === 0) throw new Fault("tampered", n, "the commit is missing");
  let data;
  try {
    data = parse(raw);
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    throw new Fault("malformed", n, `commit: ${fault.message}`);
  }
  const why = faultOf(data);
  if (why !== null) throw new Fault("malformed", n, `commit: ${why}`);
  const digest = sha256(new Uint8Array([0]), raw);
  return Object.assign(data, { raw, digest, hash: hex(digest) });
};

const isBatch = (batch) => batch === null || hasExactly(batch, ["id", "index", "of", "stop"]);

/** Return the request that bytes spell, null where they spell none. */
export const requestOf = (raw) => {
  const data = raw === null || raw === undefined ? undefined : parsed(raw);
  const isOne = isObject(data) && isText(data.type) && isObject(data.data) && isObject(data.actor)
    && "seat" in data.actor && "role" in data.actor && "batch" in data && isBatch(data.batch)
    && "encounter" in data && "at" in data && "nonce" in data;
  return isOne ? data : null;
};

const isPayload = (data) =>
  isObject(data) && isList(data.events) && isList(data.rolls) && data.events.every(isEvent)
  && data.rolls.every(isRoll);

/** Return the commits of the evidence, and what lies in its envelopes by place; throws a `Fault`. */
export const recordOf = (evidence) => {
  if (uuidBytes(evidence.encounter) === null) throw new Fault("malformed", 0, "the encounter is no UUID in lower case");
  const commits = evidence.commits.map((raw, at) => commitOf(raw, at + 1));
  evidence.requests.forEach((raw, at) => {
    if (raw === null) return;
    if (raw.length === 0) throw new Fault("tampered", at + 1, "the request is missing");
    const wasRefusedForIt = commits[at].refusal?.code === "malformed";
    if (!wasRefusedForIt && parsed(raw) === undefined) throw new Fault("malformed", at + 1, "the request is not canonical");
  });
  const payloads = new Map();
  for (const { n, index, payload } of inOrder(evidence.opened)) {
    if (!isEnvelope(commits[n - 1]?.events[index])) throw new Fault("malformed", n, `there is no envelope ${index} to open`);
    const data = parsed(payload);
    if (!isPayload(data)) throw new Fault("malformed", n, `what lies in envelope ${index} is no payload`);
    payloads.set(`${n}/${index}`, data);
  }
  return { commits, payloads };
};

/** Return opened envelopes by commit and place in it. */
export const inOrder = (opened) => [...opened].sort((one, other) => one.n - other.n || one.index - other.index);

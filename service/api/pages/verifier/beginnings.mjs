// Where lines of play begin in a record, and where it ends: an event that changes what others are held to counts only where
// it may stand.

import { isUuid, joined, toHex, utf8, uuidBytes } from "./bytes.mjs";
import { isEnvelope } from "./record.mjs";
import { sha256 } from "./sha2.mjs";
import { from, having, listOf, object, only, text, whole } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const LABEL = utf8("rewound/line/1\0");
const PLACED = ["line_begun", "line_accepted", "forked", "encounter_opened", "link_inherited"];
const INHERITING = ["line_begun", "forked"];

/** The types of public events that may stand behind these two. */
const BESIDE = new Map([["line_begun", ["link_inherited"]], ["line_accepted", ["epoch_closed", "due_disclosed"]]]);
const ENDS = ["encounter_closed", "continued"];

const isBegun = having({
  plan: listOf(from(0)),
  state: object,
  origin: having({ parent: text, hash: text, amendment: text, ruled_in: text, kind: only("as_ruled", "undo", "redo"), n: whole, upto: whole }),
});

/** The line of play that a commit says it begins; undefined if it begins none. */
export function begunBy({ events: [first] }) {
  return first?.type === "line_begun" && text(first.encounter) ? first.encounter : undefined;
}

/**
 * The lines of play that begin in a checked record: `{line, n, origin, plan, drafted, accepted}`; `drafted` is the last commit
 * as it was proposed, `accepted` the commit that accepts the line, null if the record leaves it, or ends, before that.
 */
export function beginnings(moments) {
  const starts = moments.filter(({ commit }) => begunBy(commit) !== undefined).map(({ n }) => n);
  return starts.map((n, i) => {
    const { encounter: line, origin, plan } = moments[n - 1].commit.events[0];
    const accepted = n + plan.length + 1;
    return { line, n, origin, plan, drafted: n + plan.length, accepted: accepted < (starts[i + 1] ?? moments.length + 1) ? accepted : null };
  });
}

/** The numbers of the commits that lines begin with and repeat: the earlier lines have them as they were given and signed. */
export const repeated = (moments) =>
  new Set(beginnings(moments).flatMap(({ n, drafted }) => Array.from({ length: drafted - n + 1 }, (_, i) => n + i)));

/** @throws Verdict `malformed`, `forged_command` */
export function holdBeginnings(moments) {
  let drafted = null;
  let isOver = false;
  for (const moment of moments) {
    const { n, commit: { events, outcome } } = moment;
    demand(!isOver || (outcome !== "accepted" && outcome !== "sealed"), "forged_command", { n }, "it is accepted behind the end of the record");
    isOver ||= events.some(({ type }) => ENDS.includes(type));
    for (const [index, event] of placed(moment)) {
      const may = {
        forked: () => n === 1,
        encounter_opened: () => n === 1,
        line_begun: () => n > 1 && isBeginning(moments, moment, event),
        line_accepted: () => drafted === n - 1,
        link_inherited: () => false,
      }[event.type];
      const inherits = event.type === "link_inherited" && index > 0 && INHERITING.includes(events[0].type);
      demand(inherits || (index === 0 && may()), "malformed", { n }, `the event ${event.type} may not stand there`);
    }
    const first = events[0]?.type;
    demand(isAlone(moment), "malformed", { n }, `more stands beside the event ${first} than may`);
    if (first === "line_begun") drafted = n + events[0].plan.length;
    else if (drafted !== null && n > drafted) {
      demand(first === "line_accepted", "forged_command", { n }, "only the acceptance follows what a line repeats");
      drafted = null;
    }
  }
}

/** The events of a moment that have their place in a record, also those in opened envelopes (as index -1). */
function placed({ commit, opened }) {
  const open = [...commit.events.entries()].filter(([, event]) => !isEnvelope(event));
  const inside = opened.flatMap(({ payload }) => payload.events).map((event) => [-1, event]);
  return [...open, ...inside].filter(([, { type }]) => PLACED.includes(type));
}

/** Whether only what belongs there stands behind the first event of a commit, if that places it. */
function isAlone({ commit: { events: [first, ...others], rolls } }) {
  const beside = BESIDE.get(first?.type);
  return beside === undefined || (rolls.length === 0 && others.every((event) => isEnvelope(event) || beside.includes(event.type)));
}

/** The id of the line of play that a proposal begins, a UUID of version 8; null if there is none. */
function lineId(ruledIn, amendment) {
  if (!isUuid(ruledIn) || !/^[\u0000-\u007f]*$/.test(amendment)) return null;
  const bytes = sha256(joined(LABEL, uuidBytes(ruledIn), utf8(amendment))).slice(0, 16);
  [bytes[6], bytes[8]] = [(bytes[6] & 0x0f) | 0x80, (bytes[8] & 0x3f) | 0x80];
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function isBeginning(moments, { n, commit }, event) {
  if (!isBegun(event)) return false;
  const { origin } = event;
  const isOther = commit.encounter !== moments[n - 2].commit.encounter;
  if ((origin.ruled_in !== "") !== (origin.kind === "redo")) return false;
  const isHere = origin.n === n - 1 && origin.hash === commit.prev && isOther && event.encounter === commit.encounter;
  return isHere && event.encounter === lineId(origin.ruled_in || origin.parent, origin.amendment);
}

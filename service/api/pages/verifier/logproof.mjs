// Log proofs (rewound/log-proof/1): what the public log has of a fight, proved by signed checkpoints.

import { fromHex, textOf, utf8 } from "./bytes.mjs";
import { parsed } from "./canonical.mjs";
import { isIn } from "./heads.mjs";
import { cosignedAt, isSignedBy, readCheckpoint } from "./notes.mjs";
import { digits, either, exactly, from, hash, listOf, only, text, uuid, whole } from "./shapes.mjs";
import { continues, includes, leaf, rootsAt } from "./tree.mjs";
import { isMet, metAt } from "./trust.mjs";
import { demand } from "./verdict.mjs";

const FORMAT = "rewound/log-proof/1";
const MOST_BYTES = 32 * 2 ** 20;
const MOST_ENTRY = 65_535;
const LF = 10;
const AHEAD_S = 300;
const ENDS = ["encounter_closed", "continued"];
const CLOSES = ["epoch_closed", ...ENDS];
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isProof = exactly({
  format: only(FORMAT),
  encounter: text,
  checkpoints: listOf(exactly({ note: text, consistency: listOf(hash) })),
  entries: listOf(exactly({ index: whole, entry: text, proof: listOf(hash) })),
});

const size = from(1, 10 ** 15 - 1);
const common = { v: only(1), encounter: uuid, root: hash };
const isLine = exactly({ ...common, kind: only("line"), size, parent: uuid, n: size, head: hash, ruled_in: uuid });
const isEntry = either(
  exactly({ ...common, kind: only("opening"), size: only(1), owner: digits(32) }),
  (value) => isLine(value) && value.n < value.size,
  exactly({ ...common, kind: only("head"), size }),
  exactly({ ...common, kind: only("end"), size, continued_in: either(only(null), uuid) }),
);

/** What an entry that is owed and missing would have said. */
const OWED = { opening: "the opening", line: "that this line goes on from another one", head: "the close", end: "the end of this line" };

/**
 * Holds the sound lines of a fight to the public log.
 * @param fight its lines of play in order, each with its own beginning and `losses`, those that count
 * @param bytes the log proof
 * @param trust the policy; without logs in it, `logs` are accepted
 * @param delay seconds after a commit's time within which the witnesses must have seen it
 * @param inLine does what it is given for a line, and names the line in a fault
 * @throws Verdict `bad_log_proof`, `log_contradicted`, `truncated`, `unlogged`, `unwitnessed`, `misdated`
 * @returns in words what the log shows
 */
export function holdToLog(fight, bytes, { trust, logs, delay, inLine }) {
  const view = read(bytes, fight.map(({ encounter }) => encounter), trust.logs.length ? trust.logs : logs, trust);
  const owed = fight.map((line) => inLine(line, () => holdLine(line, view, trust, delay)));
  return logSummary(view, trust, owed.reduce((sum, each) => sum + each, 0));
}

/** Holds one line to the log, and gives how many entries it owes. */
function holdLine(line, view, trust, delay) {
  const entries = view.entries.filter(({ entry }) => entry.encounter === line.encounter);
  const owed = owedOf(line, holdAgreement(line, entries), view, trust, delay);
  holdPolicy(owed, view, trust);
  holdTimes(line.moments, owed, view, trust, delay);
  return owed.length;
}

// --- reading

function must(holds, detail) {
  demand(holds, "bad_log_proof", {}, detail);
}

function read(bytes, lines, logs, trust) {
  must(bytes.length <= MOST_BYTES, `more than ${MOST_BYTES} bytes`);
  const spelling = textOf(bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes);
  const proof = spelling === null ? undefined : parsed(spelling);
  must(isProof(proof), `it is not a log proof of the format ${FORMAT}`);
  must(proof.encounter === lines.at(-1), `it is of ${proof.encounter}`);
  const points = pointsOf(proof.checkpoints, logs, trust);
  return { points, entries: entriesOf(proof.entries, points, lines) };
}

function pointsOf(listed, logs, trust) {
  const points = [];
  for (const { note, consistency } of listed) {
    const point = readCheckpoint(note);
    must(point !== null && point.size > 0, "a note is not a checkpoint");
    const isOurs = logs.some(({ name, public: key }) => name === point.origin && isSignedBy(point, name, key));
    must(isOurs, `no accepted log has signed the checkpoint of ${point.size} entries`);
    const before = points.at(-1);
    const isNext = before === undefined || (point.origin === before.origin && point.size > before.size);
    must(isNext, "checkpoints of one log stand by rising size");
    const proof = consistency.map(fromHex);
    const holds = before
      ? continues(before.size, fromHex(before.root), point.size, fromHex(point.root), proof)
      : proof.length === 0;
    must(holds, `the checkpoint of ${point.size} entries does not extend the one before`);
    points.push({ ...point, times: timesOf(point, trust) });
  }
  return points;
}

function timesOf(point, { witnesses }) {
  const all = [...witnesses].map(([name, key]) => [name, cosignedAt(point, key.name, key.public)]);
  return new Map(all.filter(([, time]) => time !== null));
}

function entriesOf(listed, points, lines) {
  let last = -1;
  return listed.map(({ index, entry: spelling, proof }) => {
    must(index > last, "entries stand by rising index");
    last = index;
    const raw = utf8(spelling);
    const entry = raw.length <= MOST_ENTRY ? parsed(spelling) : undefined;
    must(isEntry(entry), `entry ${index} is not an entry`);
    must(lines.includes(entry.encounter), `entry ${index} is of ${entry.encounter}, which is not a line of this fight`);
    const at = points.findIndex((point) => point.size > index);
    must(at >= 0, `no checkpoint covers entry ${index}`);
    const { size: reached, root } = points[at];
    must(includes(leaf(raw), index, reached, proof.map(fromHex), fromHex(root)), `entry ${index} is not in the log`);
    return { entry, index, at };
  });
}

// --- holding

/** Compares entries with the record, and gives those that agree with it; those of a lost history are set aside. */
function holdAgreement(line, entries) {
  const { moments, losses } = line;
  const sizes = entries.map(({ entry }) => entry.size);
  const roots = rootsAt(moments.map((moment) => moment.hash), sizes);
  let beyond = 0;
  for (const logged of [...entries].sort((one, other) => one.entry.size - other.entry.size)) {
    const { entry, index } = logged;
    const n = entry.size;
    if (roots.get(n) === entry.root) {
      holdStatement(line, logged);
      continue;
    }
    if (isIn(losses, n)) continue;
    demand(!roots.has(n), "log_contradicted", { n }, `entry ${index} of the log has another history of ${n} commits`);
    beyond = Math.max(beyond, n);
  }
  const place = { n: moments.length + 1, to: beyond };
  demand(beyond === 0, "truncated", place, `the log knows ${beyond} commits of this encounter`);
  return entries.filter(({ entry }) => roots.get(entry.size) === entry.root);
}

/** An entry with the right root says the same of that commit as the record. */
function holdStatement(line, { entry, index }) {
  const { kind, size: n } = entry;
  const said = `entry ${index} of the log`;
  demand(kind !== "opening" || line.begun === null, "log_contradicted", { n }, `${said} opens this line, which goes on from another one`);
  demand(kind !== "line" || isOf(entry, line), "log_contradicted", { n }, `${said} says that this line continues another one, or elsewhere`);
  const isEnd = kind !== "end" || endedBy(line.moments[n - 1]) === entry.continued_in;
  demand(isEnd, "log_contradicted", { n }, `${said} says that commit ${n} ends this line, or who continues it`);
}

/** Whether the entry of a line says where it begins. */
function isOf({ size: accepted, parent, n, head, ruled_in: ruledIn }, { begun }) {
  if (begun === null || begun.accepted !== accepted) return false;
  const { origin } = begun;
  return parent === origin.parent && n === origin.n && head === origin.hash && ruledIn === (origin.ruled_in || origin.parent);
}

/** The line with which a commit ends its own, null if it ends without one; undefined if it does not end it. */
function endedBy({ commit: { events } }) {
  const continued = events.find(({ type }) => type === "continued");
  if (continued !== undefined) return String(continued.encounter);
  return events.some(({ type }) => ENDS.includes(type)) ? null : undefined;
}

/** What must be in the log, by commit, each with the first entry that agrees with the record. What a line repeats is bound by its own entry. */
function owedOf({ moments, begun }, entries, { points }, trust, delay) {
  const own = begun === null ? moments : moments.slice((begun.accepted ?? begun.n) - 1);
  const isClosed = own.some((moment) => endedBy(moment) !== undefined);
  const greatest = Math.max(0, ...entries.map(({ entry }) => entry.size));
  const newest = points.length ? metAt(trust, points.at(-1).times) : null;
  const owed = [];
  for (const moment of own) {
    const { n, commit } = moment;
    if (n === 1 && commit.outcome === "accepted") owed.push([n, "opening"]);
    if (begun !== null && n === begun.accepted) owed.push([n, "line"]);
    if (!commit.events.some(({ type }) => CLOSES.includes(type))) continue;
    const at = seconds(commit.at);
    const isOld = newest !== null && (at === null || at + delay < newest);
    if (isClosed || n <= greatest || isOld) owed.push([n, endedBy(moment) === undefined ? "head" : "end"]);
  }
  return owed.map(([n, kind]) => {
    const logged = entries.find(({ entry }) => entry.kind === kind && entry.size === n);
    demand(logged !== undefined, "unlogged", { n }, `${OWED[kind]} is not in the log`);
    return [n, logged];
  });
}

function holdPolicy(owed, { points }, trust) {
  for (const [n, logged] of owed) {
    const behind = points.slice(logged.at);
    const seen = [...new Set(behind.flatMap(({ times }) => [...times.keys()]))].sort();
    const detail = `its entry is cosigned by ${seen.join(", ") || "no witness"}, and the policy asks for ${trust.quorum}`;
    demand(behind.some(({ times }) => isMet(trust, times.keys())), "unwitnessed", { n }, detail);
  }
}

function holdTimes(moments, owed, { points }, trust, delay) {
  if (trust.quorum === "none") return;
  for (const [n, logged] of owed) {
    const seen = points.slice(logged.at).map(({ times }) => metAt(trust, times)).find((time) => time !== null);
    const { at: said } = moments[n - 1].commit;
    const at = seconds(said);
    const fits = at !== null && at - AHEAD_S <= seen && seen <= at + delay;
    demand(fits, "misdated", { n }, `its time is ${said}, and the witnesses saw it at ${seen} s since 1970`);
  }
}

/** The whole seconds since 1970 of a commit's time; null if it is no time. */
function seconds(said) {
  const ms = TIME.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(ms) || new Date(ms).toISOString() !== said ? null : Math.floor(ms / 1000);
}

function logSummary({ points }, trust, owed) {
  if (points.length === 0) return "the log has no checkpoint";
  const newest = points.at(-1);
  const seen = [...trust.witnesses.keys()].map((name) => {
    const last = points.filter(({ times }) => times.has(name)).at(-1);
    return last ? `${name} cosigned ${last.size} of them` : `${name} cosigned none`;
  });
  const end = trust.quorum === "none" ? "no witness is asked for" : `${trust.quorum} is met`;
  return [`${owed} statements of ${newest.origin}, which has ${newest.size} entries`, ...seen, end].join("; ");
}

// Log proofs (rewound/log-proof/1): what the public log has of an encounter, proved by signed checkpoints.

import { fromHex, isUuid, textOf, utf8 } from "./bytes.mjs";
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
const isEntry = either(
  exactly({ ...common, kind: only("opening"), size: only(1), owner: digits(32) }),
  exactly({ ...common, kind: only("head"), size }),
  exactly({ ...common, kind: only("end"), size, continued_in: either(only(null), isUuid) }),
);

/**
 * Holds a sound record to the public log.
 * @param bytes the log proof
 * @param trust the policy; without logs in it, `logs` are accepted
 * @param losses the losses that count
 * @param delay seconds after a commit's time within which the witnesses must have seen it
 * @throws Verdict `bad_log_proof`, `log_contradicted`, `truncated`, `unlogged`, `unwitnessed`, `misdated`
 * @returns in words what the log shows
 */
export function holdToLog(bundle, bytes, { trust, logs, losses, delay }) {
  const view = read(bytes, bundle.encounter, trust.logs.length ? trust.logs : logs, trust);
  holdAgreement(bundle.moments, view, losses);
  const owed = owedOf(bundle.moments, view, trust, delay);
  holdPolicy(owed, view, trust);
  holdTimes(bundle.moments, owed, view, trust, delay);
  return logSummary(view, trust, owed.length);
}

// --- reading

function must(holds, detail) {
  demand(holds, "bad_log_proof", {}, detail);
}

function read(bytes, encounter, logs, trust) {
  must(bytes.length <= MOST_BYTES, `more than ${MOST_BYTES} bytes`);
  const spelling = textOf(bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes);
  const proof = spelling === null ? undefined : parsed(spelling);
  must(isProof(proof), `it is not a log proof of the format ${FORMAT}`);
  must(proof.encounter === encounter, `it is of ${proof.encounter}`);
  const points = pointsOf(proof.checkpoints, logs, trust);
  return { points, entries: entriesOf(proof.entries, points, encounter) };
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

function entriesOf(listed, points, encounter) {
  let last = -1;
  return listed.map(({ index, entry: spelling, proof }) => {
    must(index > last, "entries stand by rising index");
    last = index;
    const raw = utf8(spelling);
    const entry = raw.length <= MOST_ENTRY ? parsed(spelling) : undefined;
    must(isEntry(entry), `entry ${index} is not an entry`);
    must(entry.encounter === encounter, `entry ${index} is of ${entry.encounter}`);
    const at = points.findIndex((point) => point.size > index);
    must(at >= 0, `no checkpoint covers entry ${index}`);
    const { size: reached, root } = points[at];
    must(includes(leaf(raw), index, reached, proof.map(fromHex), fromHex(root)), `entry ${index} is not in the log`);
    return { entry, index, at };
  });
}

// --- holding

function holdAgreement(moments, { entries }, losses) {
  const sizes = entries.map(({ entry }) => entry.size);
  const roots = rootsAt(moments.map((moment) => moment.hash), sizes);
  let beyond = 0;
  for (const { entry, index } of [...entries].sort((one, other) => one.entry.size - other.entry.size)) {
    const n = entry.size;
    if (roots.get(n) === entry.root || isIn(losses, n)) continue;
    demand(!roots.has(n), "log_contradicted", { n }, `entry ${index} of the log has another history of ${n} commits`);
    beyond = Math.max(beyond, n);
  }
  const place = { n: moments.length + 1, to: beyond };
  demand(beyond === 0, "truncated", place, `the log knows ${beyond} commits of this encounter`);
}

/** What must be in the log, by commit, each with its first entry. */
function owedOf(moments, { points, entries }, trust, delay) {
  const first = (isOpening, n) => entries.find(({ entry }) => (entry.kind === "opening") === isOpening && entry.size === n);
  const types = moments.map((moment) => moment.commit.events.map(({ type }) => type));
  const isClosed = types.flat().some((type) => ENDS.includes(type));
  const greatest = Math.max(0, ...entries.map(({ entry }) => entry.size));
  const newest = points.length ? metAt(trust, points.at(-1).times) : null;
  const owed = [];
  moments.forEach(({ commit }, i) => {
    const n = i + 1;
    if (commit.encounter !== moments.at(-1).commit.encounter) return; // of an earlier line, which has entries of its own
    if (n === 1 && commit.outcome === "accepted") owed.push([n, first(true, 1)]);
    if (!types[i].some((type) => CLOSES.includes(type))) return;
    const at = seconds(commit.at);
    const isOld = newest !== null && (at === null || at + delay < newest);
    if (isClosed || n <= greatest || isOld) owed.push([n, first(false, n)]);
  });
  for (const [n, logged] of owed) {
    demand(logged !== undefined, "unlogged", { n }, `${n === 1 ? "the opening" : "the close"} is not in the log`);
  }
  return owed;
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

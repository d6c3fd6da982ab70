// Verifies a bundle without its rules: bytes, chain, tree, signatures, seals and dice, in the order of docs/format-verdicts.md.
//
// An independent implementation without dependencies: its author knew that page, but not the first verifier.

import { isHex, toHex, utf8 } from "./bytes.mjs";
import { certificateFault } from "./certificate.mjs";
import { holdChain, holdContents, holdSignatures } from "./chain.mjs";
import { holdCloses, holdCoverage, holdHeads, standing } from "./heads.mjs";
import { begunBy, holdBeginnings } from "./beginnings.mjs";
import { holdAccepted, holdSeam, holdWhole, ruledLines, withBeginning } from "./fight.mjs";
import { natively } from "./ed25519.mjs";
import { Keyring } from "./keys.mjs";
import { readLines } from "./lines.mjs";
import { holdMoved } from "./moved.mjs";
import { holdNamed } from "./named.mjs";
import { readKey, verifierKey } from "./notes.mjs";
import { holdToLog } from "./logproof.mjs";
import { prove } from "./proof.mjs";
import { acceptedReceipts, namedIn } from "./receipts.mjs";
import { isEnvelope, publicEvents, readRecord } from "./record.mjs";
import { holdToSeat } from "./seals.mjs";
import { decisionsOf, holdUnseen, unseenOf } from "./decisions.mjs";
import { keysOf } from "./seatkeys.mjs";
import { holdDisputed } from "./quarantines.mjs";
import { holdStatements } from "./statements.mjs";
import { leaf, root } from "./tree.mjs";
import { NO_POLICY } from "./trust.mjs";
import { SOUND, Verdict, demand, statusOf } from "./verdict.mjs";

const DAY_S = 86_400;

/** What a sound verdict covers, and what it does not. */
const CHECKED = ["bytes", "chain", "tree", "checkpoints", "receipts", "seals", "what the seat may see", "dice"];
const NOT_CHECKED = "whether the rules lead to these results, which `rewound verify` checks";

/**
 * @param {string|ArrayBuffer|Uint8Array} bundle its text or bytes
 * @param {{receipts?: {n: number, hash: string}[], signedReceipts?: Uint8Array[], keys?: string[], seatKeys?: Record<string, string>, certificate?: Uint8Array, unsigned?: boolean,
 *   withoutRules?: boolean}} held the caller's evidence and options: receipts,
 *   signed receipts as their bytes, accepted public keys of 64 digits each, the bytes of a certificate and of a log proof (`log`), a policy (`trust`), how
 *   many seconds later the witnesses may have seen a commit (`delay`), and what the caller does without:
 *   `unsigned` a key, `withoutRules` the rules, which this verifier never has
 * @returns the report: `encounter`, `verdict`, `status`, `log`, `counts`, `dice`, `keys` (those that are accepted),
 *   `checked`, `not_checked`; members that were not reached are null
 */
export function verify(bundle, { receipts = [], signedReceipts = [], keys = [], seatKeys = {}, certificate = null, log = null, trust = NO_POLICY, delay = DAY_S, ...doesWithout } = {}) {
  const report = { encounter: null, verdict: null, status: null, log: null, counts: null, decisions: [], unseen: [], seat_keys: [], dice: null, keys: null, lines: null };
  const bytes = typeof bundle === "string" ? utf8(bundle) : new Uint8Array(bundle);
  const verdict = judged(report, bytes, { receipts, signedReceipts, keys, seatKeys, certificate, log, trust, delay });
  const status = statusOf(verdict.verdict, doesWithout);
  const checked = verdict.isSound ? CHECKED : [];
  return Object.assign(report, { verdict: verdict.reported(), status, checked, not_checked: NOT_CHECKED });
}

/** Does what `verify` does with the browser's own Ed25519, where there is one; `progress` hears of verified signatures. */
export async function verifyNatively(bundle, held = {}, progress = undefined) {
  return natively(() => verify(bundle, held), progress);
}

function judged(report, bytes, held) {
  try {
    judge(report, bytes, held);
  } catch (verdict) {
    if (!(verdict instanceof Verdict)) throw verdict;
    return verdict;
  }
  return new Verdict(held.keys.length > 0 ? SOUND.signed : SOUND.unsigned, {}, "");
}

function judge(report, bytes, { receipts, signedReceipts, keys, seatKeys, certificate, log, trust, delay }) {
  const lines = readLines(bytes);
  const held = heldByLine(lines, receipts, signedReceipts);
  const judgedLines = lines.map((line) => {
    const others = lines.filter((other) => other !== line);
    return aside(line, lines, () => judgeLine(report, line, others, { ...held.get(line), keys, seatKeys }));
  });
  const fight = lines.map((line, i) => ({ ...withBeginning(line), mode: judgedLines[i].mode }));
  for (const line of fight) aside(line, fight, () => holdAccepted(line));
  for (const line of fight) aside(line, fight, () => holdSeam(line, fight));
  report.lines = ruledLines(fight);
  holdWhole(fight);
  const { bundle, ring } = judgedLines.at(-1);
  if (certificate !== null) {
    const fault = certificateFault(certificate, report, ring);
    demand(fault === null, "certificate_mismatch", {}, fault);
    report.certificate = "signed by an accepted key, and equal to this record in its head, the dice that were published, its counts of commits and proposals, decisions and keys of seats; the rest is on the signer's word";
  }
  if (log !== null) {
    const logged = fight.map((line, i) => ({ ...line, losses: judgedLines[i].losses }));
    const inLine = (line, work) => aside(line, logged, work);
    report.public_log = holdToLog(logged, log, { trust, logs: logsOf(bundle, ring), delay, inLine });
  }
  if (trust.unseen !== null) holdUnseen(report.unseen, trust.unseen);
}

/** What `work` returns; a fault in a line that was taken back says so. */
function aside(line, lines, work) {
  try {
    return work();
  } catch (verdict) {
    if (!(verdict instanceof Verdict) || line === lines.at(-1)) throw verdict;
    throw new Verdict(verdict.verdict, verdict.place, `in the line ${line.encounter}, which was taken back: ${verdict.message}`);
  }
}

/** The receipts of each line: the first line that has the commit, the line that a signed one names, otherwise the last one. */
function heldByLine(lines, receipts, signedReceipts) {
  const held = new Map(lines.map((line) => [line, { receipts: [], signedReceipts: [] }]));
  for (const receipt of receipts) {
    const hasIt = ({ moments }) => moments[receipt.n - 1] && toHex(leaf(utf8(moments[receipt.n - 1].commitText))) === receipt.hash;
    held.get(lines.find(hasIt) ?? lines.at(-1)).receipts.push(receipt);
  }
  for (const bytes of signedReceipts) {
    const named = namedIn(bytes);
    held.get(lines.find(({ encounter }) => encounter === named) ?? lines.at(-1)).signedReceipts.push(bytes);
  }
  return held;
}

/** Judges one record, and reports it. */
function judgeLine(report, bundle, others, { receipts, signedReceipts, keys, seatKeys }) {
  report.encounter = bundle.encounter;
  readRecord(bundle);
  holdChain(bundle);
  holdBeginnings(bundle.moments);
  holdContents(bundle);
  const lineAt = (n) => bundle.moments[n - 1]?.commit.encounter ?? bundle.encounter;
  const ring = new Keyring(lineAt, bundle.keys, keys);
  const signed = holdSignatures(bundle, ring);
  const { heads, losses, lost } = standing(bundle, signed.heads);
  const signedHere = acceptedReceipts(signedReceipts, lineAt, ring.accepted());
  holdHeads(bundle, heads, receipts, signedHere.receipts);
  demand(bundle.moments.length > 0, "empty", {}, "");
  holdToSeat(bundle, others);
  holdCloses(bundle, losses);
  holdCoverage(bundle, heads, ring);
  holdNamed(bundle);
  const statements = holdStatements(bundle, losses, seatKeys);
  holdMoved(bundle);
  holdDisputed(bundle);
  report.log = logOf(bundle, { ...signed, heads, lost }, ring, [...receipts, ...signedHere.receipts]);
  report.counts = { ...countsOf(bundle), commands_signed: statements };
  report.decisions = decisionsOf(bundle);
  report.seat_keys = keysOf(bundle, seatKeys);
  report.unseen = unseenOf(bundle, report.decisions);
  const { counts, ...dice } = prove(bundle);
  Object.assign(report.counts, counts);
  report.dice = dice;
  report.keys = ring.accepted();
  report.receipts = signedHere.receipts.map(({ n, hash, request, prev, key }) => ({ n, hash, request, prev, key }));
  demand(signedHere.unfit === null, "receipt_mismatch", {}, signedHere.unfit);
  return { bundle, ring, losses, mode: dice.mode };
}

/** The logs of the record's own accepted keys. */
function logsOf({ keys }, ring) {
  return keys.filter((key) => ring.isBelieved(key)).map((key) => ({ name: `${key.name}/log`, public: key.public }));
}


function logOf({ moments }, { heads, passedOver, lost }, ring, receipts) {
  const greatest = heads.at(-1);
  const key = greatest ? verifierKey(ring.nameOf(greatest.signer, greatest.size), greatest.signer.public) : null;
  return {
    size: moments.length,
    head: moments.length ? toHex(moments.at(-1).hash) : null,
    root: root(moments.map(({ hash }) => hash)),
    edition: moments[0]?.commit.edition ?? null,
    checkpoints: {
      accepted: heads.length,
      ignored: passedOver,
      lost,
      size: greatest?.size ?? null,
      key,
      key_was_given: ring.given.length > 0,
    },
    receipts: receipts.length,
  };
}

function countsOf({ moments }) {
  const withOutcome = (outcome) => moments.filter(({ commit }) => commit.outcome === outcome).length;
  const begun = moments.findLast(({ commit }) => begunBy(commit) !== undefined);
  const own = moments.slice((begun?.n ?? 1) - 1);
  /** Of those that led to this line: its beginning has the number of earlier lines. */
  const count = (type, member) => {
    const before = begun?.commit.events[0].state[member];
    return (Number.isInteger(before) ? before : 0) + own.flatMap(publicEvents).filter((event) => event.type === type).length;
  };
  return {
    commits: moments.length,
    refused: withOutcome("refused"),
    quarantined: withOutcome("quarantined"),
    proposals: count("amendment_proposed", "amendments"),
    proposals_dropped: count("amendment_dropped", "amendments_dropped"),
    envelopes: moments.flatMap(({ commit }) => commit.events.filter(isEnvelope)).length,
    envelopes_opened: moments.flatMap(({ opened }) => opened).length,
    requests_withheld: moments.filter(({ requestText }) => requestText === null).length,
  };
}

export { readReceiptFile } from "./receipts.mjs";

/** Parses a receipt, `N:HASH`; null if the text is not one. */
export function receiptOf(text) {
  const [n, hash, ...rest] = text.split(":");
  const isOne = rest.length === 0 && /^[1-9][0-9]{0,14}$/.test(n) && isHex(hash?.toLowerCase(), 64);
  return isOne ? { n: Number(n), hash: hash.toLowerCase() } : null;
}

/** Parses a seat and its key, `SEAT:KEY`, into an object; null if the text is not one. */
export function seatKeyOf(text) {
  const [, seat, key] = /^([a-z0-9][a-z0-9-]{0,23}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seat === undefined ? null : { [seat]: key };
}

/** Parses a public key of 64 digits or a verifier key; null if the text is neither. */
export function keyOf(text) {
  return readKey(text);
}

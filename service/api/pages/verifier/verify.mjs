// Audit a bundle without its rules: bytes, chain, tree, signatures, seals and dice, in the order of docs/audit.md.
//
// Written from that page alone, for node and browsers, with no dependency: a second opinion on the first program.

import { hex, unhex } from "./bytes.mjs";
import { bytesOf, readBundle } from "./bundle.mjs";
import { checkChain, checkContents } from "./chain.mjs";
import { readVerifierKey } from "./notes.mjs";
import { prove } from "./proof.mjs";
import { isEnvelope, recordOf } from "./record.mjs";
import { checkRights } from "./rights.mjs";
import { root } from "./tree.mjs";
import { Fault, HOLDS, MEANING, spelledVerdict, STATUS } from "./verdict.mjs";
import { checkWitnesses, notGivenUp, signedHeads } from "./witnesses.mjs";

/** What a sound verdict speaks of, and what it does not. */
export const CHECKED = ["bytes", "chain", "tree", "checkpoints", "receipts", "seals", "what the seat may see", "dice"];
export const NOT_CHECKED = "whether the rules lead to these results: that takes `rewound verify`, which has them";

/**
 * Audit a bundle.
 * @param {string|ArrayBuffer|Uint8Array} bundle its text or bytes
 * @param {{receipts?: {n: number, hash: string}[], keys?: Uint8Array[]}} [asked] what whoever asks holds, and believes
 * @returns {Promise<object>} the report: `verdict`, `status`, `log`, `counts`, `dice`
 */
export const verify = async (bundle, { receipts = [], keys = [] } = {}) => {
  const report = { encounter: null, verdict: null, status: null, log: null, counts: null, dice: null };
  try {
    await judge(report, readBundle(bytesOf(bundle)), receipts, keys);
    finish(report, { name: "valid_as_opened", n: 1, to: null, roll: null, detail: HOLDS });
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    finish(report, fault.verdict);
  }
  return report;
};

const finish = (report, verdict) => {
  report.verdict = { ...verdict, text: spelledVerdict(verdict), meaning: MEANING[verdict.name] };
  report.status = STATUS[verdict.name];
  report.checked = report.status === 0 ? CHECKED : [];
  report.not_checked = NOT_CHECKED;
};

const judge = async (report, evidence, receipts, keys) => {
  report.encounter = evidence.encounter;
  const record = recordOf(evidence);
  const { commits } = record;
  checkChain(evidence, commits);
  checkContents(evidence, commits);
  const signed = await signedHeads(evidence, keys);
  checkWitnesses(evidence, commits, receipts, notGivenUp(signed.points, commits));
  checkRights(evidence, commits);
  report.log = logOf(commits, signed, keys, receipts);
  report.counts = countsOf(evidence, commits);
  const { counts, epochs, setup } = prove(evidence, record);
  Object.assign(report.counts, counts);
  report.dice = { mode: setup?.mode ?? null, disclosed: epochs };
};

const logOf = (commits, signed, keys, receipts) => ({
  size: commits.length,
  head: commits[commits.length - 1]?.hash ?? null,
  root: hex(root(commits.map(({ digest }) => digest))),
  edition: commits[0]?.edition ?? null,
  checkpoints: {
    believed: signed.points.length, passed_over: signed.passedOver, key: signed.key, key_was_given: keys.length > 0,
  },
  receipts: receipts.length,
});

const countsOf = (evidence, commits) => ({
  commits: commits.length,
  refused: commits.filter(({ outcome }) => outcome === "refused").length,
  quarantined: commits.filter(({ outcome }) => outcome === "quarantined").length,
  envelopes: commits.reduce((sum, { events }) => sum + events.filter(isEnvelope).length, 0),
  envelopes_opened: evidence.opened.length,
  requests_withheld: evidence.requests.filter((request) => request === null).length,
});

/** Return a receipt as it is written, `N:HASH`; null where it is none. */
export const receiptOf = (text) => {
  const [, n, hash] = /^([1-9][0-9]{0,14}):([0-9a-fA-F]{64})$/.exec(text.trim()) ?? [];
  return n === undefined ? null : { n: Number(n), hash: hash.toLowerCase() };
};

/** Return a key as it is written, 64 hexadecimal digits or a verifier key's line; null where it is none. */
export const keyOf = (text) => unhex(text.trim()) ?? readVerifierKey(text.trim());

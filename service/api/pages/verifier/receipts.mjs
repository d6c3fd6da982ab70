// Reads signed receipts: the service's word on one command, one signature for many of them.

import { fromHex, joined, textOf, toHex, utf8 } from "./bytes.mjs";
import { parsed, spelled, strictly } from "./canonical.mjs";
import { verifies } from "./ed25519.mjs";
import { sha256 } from "./sha2.mjs";
import { digits, exactly, from, hash, listOf, object, only, text } from "./shapes.mjs";
import { rootFrom } from "./tree.mjs";

export const FORMAT = "rewound/receipt/1";
const LEAF = joined(Uint8Array.of(0), utf8(`${FORMAT}\0`));
const BATCH = utf8("rewound/receipts/1\0");
const LF = 10;
const LONGEST_PATH = 32;

const isReceipt = exactly({
  format: only(FORMAT),
  encounter: text,
  n: from(1),
  request: hash,
  prev: hash,
  hash,
  batch: exactly({ index: from(0), size: from(1), path: listOf(hash) }),
  key: hash,
  signature: digits(128),
});

/**
 * The receipts that an accepted key signed about this encounter, and why another is none of these.
 * @param files the bytes of each receipt
 * @param lineAt by a number, the line of play that this commit names
 * @param accepted public keys of 64 digits
 * @returns `{receipts: {n, said, key}[], unfit}`; `unfit` is null if there is no other
 */
export function acceptedReceipts(files, lineAt, accepted) {
  const faults = [];
  const receipts = [];
  for (const bytes of files) {
    const found = readReceipt(bytes);
    if (typeof found === "string") faults.push(`a receipt is false: ${found}`);
    else if (found.encounter !== lineAt(found.n)) faults.push(`a receipt is of the encounter ${found.encounter}`);
    else if (!accepted.includes(found.key)) faults.push(`a receipt was signed by ${found.key}, which is not accepted`);
    else receipts.push(found);
  }
  return { receipts, unfit: faults[0] ?? null };
}

/** What a receipt and a commit of a record both have. */
export const saidOf = ({ hash: own, request, prev }) => `${own}:${request}:${prev}`;

const contentOf = (bytes) => {
  const spelling = textOf(bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes);
  return spelling === null ? undefined : parsed(spelling);
};

/** The encounter that a receipt names, of which nothing was checked; undefined if it names none. */
export const namedIn = (bytes) => {
  const content = contentOf(bytes);
  return object(content) && Object.hasOwn(content, "encounter") ? content.encounter : undefined;
};

function readReceipt(bytes) {
  const receipt = contentOf(bytes);
  if (receipt === undefined) return "it is not canonical JSON";
  if (!isReceipt(receipt) || receipt.batch.path.length > LONGEST_PATH || receipt.batch.index >= receipt.batch.size) {
    return `its members are not those of ${FORMAT}`;
  }
  const { encounter, n, batch: { index, size, path }, key, signature } = receipt;
  const said = { encounter, hash: receipt.hash, n, prev: receipt.prev, request: receipt.request };
  const leaf = sha256(joined(LEAF, utf8(spelled(said))));
  const root = rootFrom(leaf, index, size, path.map(fromHex));
  if (root === null) return "its path does not lead to a root";
  const message = joined(BATCH, fromHex(size.toString(16).padStart(16, "0")), root);
  if (!verifies(fromHex(key), message, fromHex(signature))) return "its signature is false";
  return { encounter, n, said: saidOf(receipt), hash: receipt.hash, request: receipt.request, prev: receipt.prev, key };
}

/** The receipts in an answer to commands, each as bytes: one, or one of each outcome. */
function receiptsIn(answer) {
  const outcomes = Array.isArray(answer.outcomes) ? answer.outcomes : [answer];
  return outcomes.filter((each) => object(each) && Object.hasOwn(each, "receipt") && each.receipt !== null).map(({ receipt }) => utf8(spelled(receipt)));
}

/**
 * What a file holds against a record: signed receipts, or a number and a hash that nobody signed. An answer of the service
 * may be spelled in any way. What is no answer is taken for a receipt, which then does not hold.
 * @returns `{signed, receipt}`: the signed ones as bytes, or `receipt`, which is `{n, hash}`
 */
export function readReceiptFile(bytes) {
  const text = textOf(bytes);
  const answer = text === null ? undefined : strictly(text);
  if (!object(answer) || Object.hasOwn(answer, "format")) return { signed: [bytes], receipt: null };
  const signed = receiptsIn(answer);
  if (signed.length > 0) return { signed, receipt: null };
  const { n, hash: own } = answer;
  return from(1)(n) && hash(own) ? { signed, receipt: { n, hash: own } } : { signed: [bytes], receipt: null };
}

/** The `said` of the commit of a moment, whose hash is given as bytes. */
export const saidIn = ({ hash: own, commit }) => saidOf({ hash: toHex(own), request: commit.request, prev: commit.prev });

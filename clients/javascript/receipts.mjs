// Keep the receipts that the service signs: a receipt and a record that contradict it are proof, offline.
//
// `verify.mjs FILE --receipt RECEIPT` compares them.

import { canonical, fromHex, joined, sha256, utf8 } from "./bytes.mjs";

const LEAF = "\0rewound/receipt/1\0";
const BATCH = "rewound/receipts/1\0";
const FORMAT = "rewound/receipt/1";
const MEMBERS = "batch,encounter,format,hash,key,n,prev,request,signature";
const LONGEST_PATH = 32;
const LINE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;

/** The service answered with a receipt that is not signed, or is not about the answer. */
export class FalseReceipt extends Error {
  constructor(detail, receipt) {
    super(detail);
    this.name = "FalseReceipt";
    /** What the service sent. */
    this.receipt = receipt;
  }
}

/** Passes on the receipts of answers whose signature is true, made by `key` if one is given. */
export class ReceiptChecker {
  /** @param {(receipt: Record<string, any>) => any} keep @param {string} [key] */
  constructor(keep, key) {
    Object.assign(this, { keep, key });
  }

  /** Pass on the receipts in an answer; throws `FalseReceipt` for one that is false or does not fit. */
  async take(answer) {
    for (const outcome of answer?.outcomes ?? [answer ?? {}]) {
      const { receipt } = outcome;
      if (receipt === undefined) continue;
      if (!await isTrue(receipt)) throw new FalseReceipt("the signature of the receipt is false", receipt);
      if (this.key !== undefined && receipt.key !== this.key) throw new FalseReceipt(`the receipt is signed by the key ${receipt.key}`, receipt);
      if (receipt.n !== outcome.n || receipt.hash !== outcome.hash) throw new FalseReceipt("the receipt is about another commit than the answer", receipt);
      await this.keep(receipt);
    }
  }
}

/** Return whether a receipt is one that a verifier takes, signed by the key that it names. @param {Record<string, any>} receipt */
export async function isTrue(receipt) {
  if (!hasForm(receipt)) return false;
  try {
    const { encounter, hash, n, prev, request, batch: { index, size, path } } = receipt;
    const leaf = await sha256(utf8(LEAF + canonical({ encounter, hash, n, prev, request })));
    const root = await rootOf(leaf, index, size, path.map(fromHex));
    if (root === null) return false;
    const length = new DataView(new ArrayBuffer(8));
    length.setBigUint64(0, BigInt(size));
    const key = await crypto.subtle.importKey("raw", fromHex(receipt.key), { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, fromHex(receipt.signature), joined(utf8(BATCH), new Uint8Array(length.buffer), root));
  } catch {
    return false;
  }
}

/**
 * Return whether a receipt has exactly the members of the format, each spelled as a verifier reads it: one that is
 * spelled otherwise would prove nothing later.
 */
function hasForm(receipt) {
  if (namesOf(receipt) !== MEMBERS || namesOf(receipt.batch) !== "index,path,size") return false;
  const { batch: { index, size, path }, encounter, format, hash, key, n, prev, request, signature } = receipt;
  return format === FORMAT && is(LINE, encounter) && is(SIGNATURE, signature)
    && [n, index, size].every(Number.isSafeInteger) && n >= 1
    && Array.isArray(path) && path.length <= LONGEST_PATH && [hash, key, prev, request, ...path].every((each) => is(HASH, each));
}

const namesOf = (value) => (value !== null && typeof value === "object" ? Object.keys(value).sort().join(",") : null);

const is = (pattern, value) => typeof value === "string" && pattern.test(value);

/** Return the root to which a path leads from the leaf at `index` (RFC 9162, 2.1.3.2), null if to none. */
async function rootOf(leaf, index, size, path) {
  let at = index, last = size - 1, found = leaf;
  if (!Number.isInteger(at) || !Number.isInteger(last) || at < 0 || at > last) return null;
  for (const step of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      found = await sha256(joined([1], step, found));
      while (at % 2 === 0 && at > 0) { at /= 2; last = Math.floor(last / 2); }
    } else found = await sha256(joined([1], found, step));
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? found : null;
}

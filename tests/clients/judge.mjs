// Judge many bundles, given as JSON on standard input, and print their verdicts with details as a JSON list.
//
// A policy that cannot be read is the verdict `usage`, as on the command line.

import { readFileSync } from "node:fs";
import { readTrust } from "../../service/api/pages/verifier/trust.mjs";
import { readReceiptFile, verify } from "../../service/api/pages/verifier/verify.mjs";

const bytes = (text) => (text === null || text === undefined ? null : new Uint8Array(Buffer.from(text, "base64")));

const judged = ({ bundle, receipts, signed = [], keys, seatKeys, receipt, certificate, log, policy }) => {
  const file = receipt === null || receipt === undefined ? { signed: [], receipt: null } : readReceiptFile(bytes(receipt));
  const trust = policy === null || policy === undefined ? undefined : readTrust(bytes(policy));
  if (trust === null) return ["usage", ""];
  const { verdict } = verify(bytes(bundle), {
    receipts: [...receipts, ...(file.receipt === null ? [] : [file.receipt])], signedReceipts: [...signed.map(bytes), ...file.signed],
    keys, seatKeys, certificate: bytes(certificate), log: bytes(log), trust,
  });
  return [verdict.text, verdict.detail];
};

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map(judged)));

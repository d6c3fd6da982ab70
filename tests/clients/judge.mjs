// Judge many bundles, given as JSON on standard input, and print their verdicts with details as a JSON list.

import { readFileSync } from "node:fs";
import { verify } from "../../service/api/pages/verifier/verify.mjs";

const said = [];
for (const { bundle, receipts, signed = [], keys, seatKeys } of JSON.parse(readFileSync(0, "utf-8"))) {
  const report = verify(Buffer.from(bundle, "base64"), { receipts, signedReceipts: signed.map((each) => Buffer.from(each, "base64")), keys, seatKeys });
  said.push([report.verdict.text, report.verdict.detail]);
}
process.stdout.write(JSON.stringify(said));

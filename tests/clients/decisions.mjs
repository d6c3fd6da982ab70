// Prints what the verifier lists of a bundle on standard input: decisions, keys of seats, what seats had not seen, the lines.

import { readFileSync } from "node:fs";
import { lines } from "../../service/api/pages/verifier/telling.mjs";
import { verify } from "../../service/api/pages/verifier/verify.mjs";

const report = verify(new Uint8Array(readFileSync(0)), { seatKeys: JSON.parse(process.argv[2]) });
const { decisions, seat_keys, unseen } = report;
process.stdout.write(JSON.stringify({ decisions, seat_keys, unseen, lines: lines(report).filter((line) => line !== "") }));

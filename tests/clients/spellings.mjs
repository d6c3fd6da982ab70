// Say of many byte strings, told in base64 on standard input, whether each is canonical JSON.

import { readFileSync } from "node:fs";
import { textOf } from "../../service/api/pages/verifier/bytes.mjs";
import { parsed } from "../../service/api/pages/verifier/canonical.mjs";

const told = JSON.parse(readFileSync(0, "utf-8"));
const isCanonical = (bytes) => parsed(textOf(bytes) ?? "") !== undefined;
process.stdout.write(JSON.stringify(told.map((each) => isCanonical(Buffer.from(each, "base64")))));

// Say of many byte strings, told in base64 on standard input, whether each is canonical JSON.

import { readFileSync } from "node:fs";
import { parsed } from "../../service/api/pages/verifier/canonical.mjs";

const told = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(told.map((each) => parsed(Buffer.from(each, "base64")) !== undefined)));

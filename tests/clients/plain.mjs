// Say how the verifier shows texts: JSON in, JSON out; then a report whose every text is the first of them.

import { readFileSync } from "node:fs";
import { plain } from "../../service/api/pages/verifier/plain.mjs";
import { facts, lines } from "../../service/api/pages/verifier/telling.mjs";

const texts = JSON.parse(readFileSync(0, "utf-8"));
const report = {
  verdict: { text: texts[0], meaning: texts[0], detail: texts[0] },
  checked: [], not_checked: "", encounter: texts[0], log: null, dice: null, counts: null,
  certificate: { fault: texts[0] },
};
process.stdout.write(JSON.stringify({ plain: texts.map((text) => plain(text)), facts: facts(report), lines: lines(report) }));

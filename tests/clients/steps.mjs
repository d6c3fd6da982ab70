// Recompute every seeded roll and every commit's place of the bundles on standard input; print what was found, and what fails.

import { readFileSync } from "node:fs";

import { readLines } from "../../service/api/pages/verifier/lines.mjs";
import { readRecord, rollName, rollsOf } from "../../service/api/pages/verifier/record.mjs";
import { stepsOf } from "../../service/api/pages/verifier/steps.mjs";

const summary = ({ holds, says, steps }) => ({ holds, says, steps: steps.length, wrong: steps.filter((each) => each.holds === false).map((each) => each.says), all: steps });

const checked = (text, asked) => {
  if (asked) return [{ ...asked, ...summary(stepsOf(asked, text, asked.keys ?? [])) }];
  const lines = readLines(new TextEncoder().encode(text));
  lines.forEach(readRecord);
  return lines.flatMap(({ encounter: line, moments, shared }, i) => moments.slice(i === lines.length - 1 ? 0 : shared).flatMap((moment) => {
    const { n } = moment;
    const rolls = rollsOf(moment).filter(({ source }) => source === "seeded").map(rollName);
    return [undefined, ...rolls].map((roll) => ({ n, line, roll, ...summary(stepsOf({ n, roll, line }, text, [])) }));
  }));
};

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(({ text, asked }) => checked(text, asked))));

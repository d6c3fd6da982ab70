// Checks what the host set aside as disputed: a loss must be accepted right after it. Whether a command that is said to
// crash does so is for a verifier that has the rules.

import { claimsLoss } from "./heads.mjs";
import { publicEvents } from "./record.mjs";
import { demand } from "./verdict.mjs";

/** @throws Verdict `false_quarantine` */
export function holdDisputed({ moments }) {
  let suspect = null;
  for (const moment of moments) {
    const { n, commit } = moment;
    if (commit.outcome === "quarantined") {
      if (suspect === null && commit.quarantine.cause === "disputed") suspect = n;
      continue;
    }
    const accepts = publicEvents(moment).some(claimsLoss);
    demand(suspect === null || accepts, "false_quarantine", { n: suspect }, `it was set aside as disputed, and commit ${n} accepts no loss`);
    suspect = null;
  }
}

// Verify a bundle, and say what was found as the page shows it.

import { facts, warnings } from "/docs/verifier/telling.mjs";
import { proves } from "/docs/verifier/proves.mjs";
import { SOUND } from "/docs/verifier/verdict.mjs";
import { verifyNatively } from "/docs/verifier/verify.mjs";

/** What people decided outside the rules, by the kinds of the format. */
const DECIDED = {
  amendment: "Proposals of the gm:", contest: "Contests and their answers:", epoch: "Changes of the coming dice:", forfeit: "Choices declared forfeited:",
  key: "Keys of seats set or removed:", line: "Other lines of play:", loss: "Commits that were lost:", ruling: "Rulings:", veto: "Commands set aside:", waiver: "Seeds left out:",
};

/** Say which commits a fault is about. @param {{n: number | null, to: number | null}} place */
const placeOf = ({ n, to }) => (n === null ? "" : to === null ? ` at commit ${n}` : ` at commits ${n} to ${to}`);

/** Return what verifying *bundle* has found. @param {string} bundle @param {string[]} keys those that are accepted @returns {Promise<import("./proof.mjs").Verified>} */
export const reportOf = async (bundle, keys) => {
  const report = await verifyNatively(bundle, { keys });
  const isSound = report.checked.length > 0;
  const { verdict, log, counts } = report;
  return {
    isSound, isSigned: isSound && verdict.name === SOUND.signed, hasKey: keys.length > 0, where: placeOf(verdict), meaning: verdict.meaning, detail: verdict.detail,
    head: log?.head ?? null, size: counts?.commits ?? 0, signed: log?.checkpoints.size ?? 0, key: log?.checkpoints.key ?? null,
    warnings: isSound ? warnings(report, DECIDED) : [], facts: /** @type {[string, string][]} */ (facts(report)), says: isSound ? proves(report) : null,
  };
};

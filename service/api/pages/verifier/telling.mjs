// Tell a report to people: as rows of a name and a value, or as lines of text.

import { HOLDS } from "./verdict.mjs";

const WIDEST = 13;

const some = (count, what, many = `${what}s`) => `${count} ${count === 1 ? what : many}`;

/** Return what a report found, as pairs of a name and a text. */
export const facts = (report) => {
  const found = report.encounter === null ? [] : [["encounter", report.encounter]];
  return [...found, ...logFacts(report), ...diceFacts(report), ...certificateFacts(report)];
};

/** Return a report as lines of text, the verdict first. */
export const lines = (report) => {
  const { verdict } = report;
  const isSound = verdict.name === "valid_as_opened";
  const said = isSound ? [HOLDS, `not checked: ${report.not_checked}`] : [verdict.meaning, verdict.detail];
  const rows = facts(report).map(([name, value]) => `${name.padEnd(WIDEST)}${value}`);
  return [verdict.text, ...said.filter((line) => line).map((line) => `  ${line}`), ...(rows.length ? [""] : []), ...rows];
};

const logFacts = ({ log, counts }) => {
  if (log === null) return [];
  const { believed, passed_over: passedOver, key, key_was_given: wasGiven } = log.checkpoints;
  const signed = some(believed, "signed head holds", "signed heads hold") + (wasGiven ? " by a key you gave" : "");
  const given = some(log.receipts, "receipt holds", "receipts hold");
  return [
    ["edition", log.edition ?? "none"],
    ["commits", `${counts.commits}, of these ${counts.refused} refused, ${counts.quarantined} quarantined`],
    ["head", log.head ?? "none"],
    ["root", log.root],
    ["checkpoints", signed + (passedOver ? `, ${passedOver} of older keys passed over` : "")],
    ...(key === null ? [] : [["key", key]]),
    ...(log.receipts ? [["receipts", given]] : []),
    ["envelopes", `${counts.envelopes_opened} of ${counts.envelopes} opened, ${some(counts.requests_withheld, "request")} withheld`],
  ];
};

const diceFacts = ({ counts, dice }) => {
  if (dice === null) return [];
  const upto = Object.entries(dice.disclosed).map(([lane, epoch]) => `lane ${lane} to epoch ${epoch}`).join(", ");
  const proved = `${some(counts.rolls_checked, "roll")} with ${some(counts.faces_checked, "die", "dice")} proved`;
  return [
    ["dice", `${proved}, ${counts.rolls_unverified} not disclosed yet, ${counts.rolls_declared} declared by people`],
    ["disclosed", `${upto || "nothing"} (mode ${dice.mode ?? "unknown"})`],
  ];
};

const certificateFacts = ({ certificate }) =>
  certificate === undefined ? [] : [["certificate", certificate.fault ?? "signed, and of this record"]];

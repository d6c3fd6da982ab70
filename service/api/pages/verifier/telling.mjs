// Tells a report to people: as rows of a name and a value, or as lines of text.

import { HOLDS } from "./verdict.mjs";

const WIDEST = 13;

function some(count, what, many = `${what}s`) {
  return `${count} ${count === 1 ? what : many}`;
}

/** What a report found, as pairs of a name and a text. */
export function facts(report) {
  const found = report.encounter === null ? [] : [["encounter", report.encounter]];
  return [...found, ...logFacts(report), ...diceFacts(report), ...certificateFacts(report)];
}

/** A report as lines of text, the verdict first. */
export function lines(report) {
  const { verdict } = report;
  const said = report.checked.length ? [HOLDS, `not checked: ${report.not_checked}`] : [verdict.meaning, verdict.detail];
  const rows = facts(report).map(([name, value]) => `${name.padEnd(WIDEST)}${value}`);
  return [verdict.text, ...said.filter((line) => line).map((line) => `  ${line}`), ...(rows.length ? [""] : []), ...rows];
}

function logFacts({ log, counts }) {
  if (log === null) return [];
  return [
    ["edition", log.edition ?? "none"],
    ["commits", `${counts.commits}, of these ${counts.refused} refused, ${counts.quarantined} quarantined`],
    ["head", log.head ?? "none"],
    ["root", log.root],
    ...headFacts(log),
    ["envelopes", `${counts.envelopes_opened} of ${counts.envelopes} opened, ${some(counts.requests_withheld, "request")} withheld`],
  ];
}

function headFacts({ checkpoints: { believed, passed_over: passedOver, key, key_was_given: wasGiven }, receipts }) {
  const signed = some(believed, "signed head holds", "signed heads hold") + (wasGiven ? " by a key you gave" : "");
  return [
    ["checkpoints", signed + (passedOver ? `, ${passedOver} of older keys passed over` : "")],
    ...(key === null ? [] : [["key", key]]),
    ...(receipts ? [["receipts", some(receipts, "receipt holds", "receipts hold")]] : []),
  ];
}

function diceFacts({ counts, dice }) {
  if (dice === null) return [];
  const upto = Object.entries(dice.disclosed).map(([lane, epoch]) => `lane ${lane} to epoch ${epoch}`).join(", ");
  const proved = `${some(counts.rolls_checked, "roll")} with ${some(counts.faces_checked, "die", "dice")} proved`;
  return [
    ["dice", `${proved}, ${counts.rolls_unverified} not disclosed yet, ${counts.rolls_declared} declared by people`],
    ["disclosed", `${upto || "nothing"} (mode ${dice.mode ?? "unknown"})`],
  ];
}

function certificateFacts({ certificate }) {
  return certificate === undefined ? [] : [["certificate", certificate.fault ?? "signed, and of this record"]];
}

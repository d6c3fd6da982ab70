// Formats a report for people, as rows of a name and a value or as lines of text.

import { summaryOf } from "./decisions.mjs";
import { plain } from "./plain.mjs";

const WIDEST = 13;

function some(count, what, many = `${what}s`) {
  return `${count} ${count === 1 ? what : many}`;
}

/** The facts of a report, as pairs of a name and a text. */
export function facts(report) {
  const found = report.encounter === null ? [] : [["encounter", report.encounter]];
  const all = [...found, ...logFacts(report), ...diceFacts(report), ...certificateFacts(report)];
  return all.map(([name, value]) => [name, plain(value)]);
}

/** A report as lines of text, the verdict first. */
export function lines(report) {
  const { verdict } = report;
  const said = [verdict.meaning, ruled(report.lines ?? []), verdict.detail, ...(report.checked.length ? [`not checked: ${report.not_checked}`] : []), ...warnings(report)];
  const rows = facts(report).map(([name, value]) => `${name.padEnd(WIDEST)}${value}`);
  const summary = [verdict.text, ...said.filter((line) => line).map((line) => `  ${line}`)];
  return [...summary, ...(rows.length ? [""] : []), ...rows].map((line) => plain(line));
}

const WORDS = { as_ruled: "ruling", undo: "undo", redo: "redo" };

/** In one sentence how the fight went on by rulings: how many, by whom, what they took back; empty if there is none. */
export function ruled(found) {
  if (found.length === 0) return "";
  const parts = found.map(({ n, kind, by, took_back: taken, drawn_anew: anew }) => {
    const what = taken === null ? "took back nothing" : taken[0] === taken[1] ? `took back #${taken[0]}` : `took back #${taken[0]} to #${taken[1]}`;
    return `#${n}, ${WORDS[kind]} by ${by || "somebody"}, ${what}, ${anew ? `${some(anew, "throw")} got other dice` : "no throw got other dice"}`;
  });
  return `${some(found.length, "ruling")} changed what stands: ${parts.join("; ")}`;
}

/** What to show first: what people decided, whose keys spoke, and what is unsigned; `named` has other names for kinds of decisions. */
export function warnings({ counts, decisions, unseen, seat_keys: keys, log }, named = {}) {
  if (counts === null) return [];
  const signed = log?.checkpoints.size ?? null;
  return [
    ...summaryOf(decisions).map(([kind, line]) => `${named[kind] ?? kind} ${line}`),
    ...keyLines(keys),
    ...unseenLines(unseen),
    ...(signed !== null && signed < counts.commits
      ? [`commits ${signed + 1} to ${counts.commits} are not signed: anybody may have written them once the fight was over`]
      : []),
  ];
}

function keyLines(keys) {
  const seats = [...new Set(keys.map(({ seat }) => seat))].sort();
  const asked = seats.filter((seat) => !keys.some((each) => each.seat === seat && each.given));
  const said = (seat) => keys.filter((each) => each.seat === seat)
    .map(({ key, n, by, commands }) => `${key.slice(0, 8)}… from commit ${n} on, set by ${by ?? "a withheld command"}, signed ${commands}`);
  const question = `only the record says that these keys are those of ${asked.join(", ")}: give the key of each seat that you know`;
  return [...seats.map((seat) => `keys ${seat}: ${said(seat).join("; ")}`), ...(asked.length > 0 ? [question] : [])];
}

function unseenLines(unseen) {
  const rank = ({ decisions, commits }) => (decisions > 0 ? 1e9 : 0) + commits;
  const [late] = [...unseen].sort((one, other) => rank(other) - rank(one));
  if (late === undefined) return [];
  const among = late.decisions > 0 ? `, ${late.decisions} of them decisions` : "";
  return [`unseen ${some(unseen.length, "command was", "commands were")} decided after commits that their seats had not seen; ${late.seat} had not seen ${late.commits} before commit ${late.n}${among}`];
}

function logFacts({ log, counts }) {
  if (log === null) return [];
  return [
    ["edition", log.edition ?? "none"],
    ["commits", `${counts.commits}, of these ${counts.refused} refused, ${counts.quarantined} quarantined`],
    ["head", log.head ?? "none"],
    ["root", log.root],
    ...headFacts(log, counts.commits),
    ["envelopes", `${counts.envelopes_opened} of ${counts.envelopes} opened, ${some(counts.requests_withheld, "request")} withheld`],
    ...(counts.commands_signed ? [["seats", `${some(counts.commands_signed, "command is", "commands are")} signed by their seats`]] : []),
  ];
}

function headFacts({ checkpoints, receipts }, commits) {
  const { accepted, ignored, lost, size, key, key_was_given: wasGiven } = checkpoints;
  const by = wasGiven ? "a key you gave" : "a key that only the bundle names";
  const behind = commits - (size ?? 0);
  const rest = behind ? `; the ${behind} later ones are not signed yet` : "";
  return [
    ["signed", size === null ? "by nobody" : `${size} of ${commits} commits, by ${by}${rest}`],
    ["checkpoints", some(accepted, "signed head holds", "signed heads hold") + (ignored ? `, ${ignored} of older keys ignored` : "")],
    ...(lost ? [["lost", some(lost, "signed head of a lost history", "signed heads of a lost history")]] : []),
    ...(key === null ? [] : [["key", key]]),
    ...(receipts ? [["receipts", some(receipts, "receipt holds", "receipts hold")]] : []),
  ];
}

const LANES = ["the open dice", "the sealed dice"];
const SOURCES = { server: "a secret of the service alone", mixed: "a secret of the service, and seeds of the seats" };

function diceFacts({ counts, dice }) {
  if (dice === null) return [];
  const upto = Object.entries(dice.disclosed).filter(([, epoch]) => epoch > 0).map(([lane, epoch]) => `${LANES[lane]} up to epoch ${epoch}`).join(" and ");
  const proved = `${some(counts.rolls_checked, "roll")} with ${some(counts.faces_checked, "die", "dice")} proved`;
  return [
    ["dice", `${proved}, ${counts.rolls_unverified} not disclosed yet, ${counts.rolls_declared} declared by people`],
    ["disclosed", upto ? `the keys of ${upto}` : "no key of the dice yet"],
    ["dice from", SOURCES[dice.mode] ?? "unknown"],
  ];
}

function certificateFacts({ certificate, public_log: publicLog }) {
  const signed = certificate === undefined ? [] : [["certificate", certificate]];
  return publicLog === undefined ? signed : [...signed, ["public log", publicLog]];
}

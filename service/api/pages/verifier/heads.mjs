// Holds the record to what others keep of it: signed heads and receipts say what it was up to a number.

import { toHex } from "./bytes.mjs";
import { publicEvents } from "./record.mjs";
import { rootsAt } from "./tree.mjs";
import { Verdict, demand } from "./verdict.mjs";

const CLOSES = ["epoch_closed", "encounter_closed"];
const ADVANCES = ["epoch_advanced", "dice_moved"];

/**
 * @param heads checkpoints that are believed, `{size, root}`
 * @param receipts `{n, hash}`
 * @throws Verdict `tampered` with an interval, `truncated`, `forked`
 */
export function holdHeads({ moments, trailer }, heads, receipts) {
  const lost = lostStretches(moments);
  const signed = heads.filter(({ size }) => !isIn(lost, size)).map(({ size, root }) => ({ n: size, said: root }));
  const roots = rootsAt(moments.map(({ hash }) => hash), signed.map(({ n }) => n));
  for (const head of signed) head.found = roots.get(head.n);
  const kept = receipts.map(({ n, hash }) => ({ n, said: hash, found: moments[n - 1] && toHex(moments[n - 1].hash) }));
  const isForked = contradictEachOther(signed);
  const first = Math.min(...[...signed, ...kept].filter(isFalse).map(({ n }) => n));
  if (first < Infinity && !isForked) throw rewrittenUpTo(first, [...signed, ...kept]);
  holdEnd(moments.length, trailer, [...signed, ...kept]);
  demand(!isForked, "forked", first < Infinity ? { n: first } : {}, "two signed heads contradict each other");
}

const isFalse = ({ said, found }) => found !== undefined && said !== found;
const isTrue = ({ said, found }) => said === found;

/** Two signed roots of one size, or one that holds beyond one that does not. */
function contradictEachOther(signed) {
  const isTwofold = signed.some((one) => signed.some((other) => one.n === other.n && one.said !== other.said));
  const wrong = signed.filter(isFalse).map(({ n }) => n);
  return isTwofold || signed.filter(isTrue).some(({ n }) => n > Math.min(...wrong));
}

function rewrittenUpTo(to, told) {
  const n = 1 + Math.max(0, ...told.filter((each) => isTrue(each) && each.n < to).map((each) => each.n));
  const place = n === to ? { n } : { n, to };
  return new Verdict("tampered", place, `what was signed or told of commit ${to} is not what stands here`);
}

function holdEnd(end, trailer, told) {
  const to = Math.max(trailer?.count ?? end + 1, ...told.map(({ n }) => n));
  demand(to <= end, "truncated", { n: end + 1, to }, `${end} commits are here, ${to} were written`);
}

/** Demands a checkpoint for every close below the greatest one: closes are signed in order. */
export function holdCloses({ moments, checkpoints }) {
  const lost = lostStretches(moments);
  const sizes = new Set(checkpoints.map(({ size }) => size));
  const greatest = Math.max(0, ...[...sizes].filter((size) => !isIn(lost, size)));
  for (const moment of moments.slice(0, greatest)) {
    const { n } = moment;
    const closes = publicEvents(moment).some(({ type }) => CLOSES.includes(type));
    demand(!closes || isIn(lost, n) || sizes.has(n), "malformed", { n }, "it closes an epoch, and its checkpoint is missing");
  }
}

const isIn = (stretches, n) => stretches.some(({ from, to }) => from <= n && n <= to);

/** Where the record says itself that signed commits were lost, and that this was accepted. */
function lostStretches(moments) {
  return moments.flatMap((moment) =>
    publicEvents(moment)
      .filter(({ type, lost }) => ADVANCES.includes(type) && Number.isInteger(lost?.size))
      .map(({ lost }) => ({ from: firstSetAside(moments, moment.n), to: lost.size })),
  );
}

/** The number of the first of the commands that were set aside right before commit n, or n. */
function firstSetAside(moments, n) {
  let first = n;
  while (moments[first - 2]?.commit.outcome === "quarantined") first -= 1;
  return first;
}

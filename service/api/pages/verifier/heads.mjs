// Checks the record against evidence that others keep: signed heads and receipts fix its content up to a number.

import { toHex } from "./bytes.mjs";
import { saidIn } from "./receipts.mjs";
import { publicEvents } from "./record.mjs";
import { object } from "./shapes.mjs";
import { rootsAt } from "./tree.mjs";
import { Verdict, demand } from "./verdict.mjs";

const CLOSES = ["epoch_closed", "encounter_closed"];
const ENDS = ["encounter_closed", "continued"];

/**
 * The accepted heads and losses. That signed commits were lost is only the record's own claim, which has no signature. It
 * is accepted once it is covered by a head whose root is that of this record. Until then every head must match.
 * @returns `{heads, losses, lost}`: the heads without those of lost histories, the losses, the number of lost heads
 */
export function standing({ moments }, signed) {
  const roots = rootsAt(moments.map(({ hash }) => hash), signed.map(({ size }) => size));
  const holds = ({ size, root }) => roots.get(size) === root;
  const reached = Math.max(0, ...signed.filter(holds).map(({ size }) => size));
  const losses = claimedLosses(moments).filter(({ acceptedIn }) => acceptedIn <= reached);
  const heads = signed.filter((head) => holds(head) || !isIn(losses, head.size));
  return { heads, losses, lost: signed.length - heads.length };
}

/**
 * @param heads the accepted checkpoints, `{size, root}`
 * @param receipts `{n, hash}`, which nobody signed
 * @param signedReceipts `{n, said}`, which accepted keys signed
 * @throws Verdict `tampered` with an interval, `truncated`, `forked`
 */
export function holdHeads({ moments, trailer }, heads, receipts, signedReceipts = []) {
  const signed = heads.map(({ size, root }) => ({ n: size, said: root }));
  const roots = rootsAt(moments.map(({ hash }) => hash), signed.map(({ n }) => n));
  for (const head of signed) head.found = roots.get(head.n);
  const kept = receipts.map(({ n, hash }) => ({ n, said: hash, found: moments[n - 1] && toHex(moments[n - 1].hash) }));
  const receipted = signedReceipts.map((each) => ({ ...each, found: moments[each.n - 1] && saidIn(moments[each.n - 1]) }));
  const all = [...signed, ...receipted, ...kept];
  const isForked = contradictEachOther(signed, receipted);
  const first = Math.min(...all.filter(isFalse).map(({ n }) => n));
  if (first < Infinity && !isForked) throw rewrittenUpTo(first, all);
  holdEnd(moments.length, trailer, all);
  demand(!isForked, "forked", first < Infinity ? { n: first } : {}, contradiction(receipted.find(isFalse), moments));
}

const isFalse = ({ said, found }) => found !== undefined && said !== found;
const isTrue = ({ said, found }) => said === found;

/** Two of one kind that differ at one place, or one that matches and is not below one that does not match. */
function contradictEachOther(...kinds) {
  const isTwofold = kinds.some((kind) => kind.some((one) => kind.some((other) => one.n === other.n && one.said !== other.said)));
  const wrong = kinds.flat().filter(isFalse).map(({ n }) => n);
  return isTwofold || kinds.flat().filter(isTrue).some(({ n }) => n >= Math.min(...wrong));
}

function contradiction(receipt, moments) {
  if (receipt === undefined) return "two signed heads contradict each other";
  const { n, hash, key } = receipt;
  const here = toHex(moments[n - 1].hash).slice(0, 16);
  return `the key ${key.slice(0, 16)}… signed a receipt that commit ${n} is ${hash.slice(0, 16)}…, and it signed a record in which it is ${here}…`;
}

function rewrittenUpTo(to, heads) {
  const n = 1 + Math.max(0, ...heads.filter((each) => isTrue(each) && each.n < to).map((each) => each.n));
  const place = n === to ? { n } : { n, to };
  return new Verdict("tampered", place, `commit ${to} differs from a signed head or a receipt`);
}

function holdEnd(end, trailer, heads) {
  const to = Math.max(trailer?.count ?? end + 1, ...heads.map(({ n }) => n));
  demand(to <= end, "truncated", { n: end + 1, to }, `there are ${end} commits, and ${to} were written`);
}

/** Checks that every close below the largest head has a checkpoint, because closes are signed in order. */
export function holdCloses({ moments, checkpoints }, losses) {
  const sizes = new Set(checkpoints.map(({ size }) => size));
  const greatest = Math.max(0, ...[...sizes].filter((size) => !isIn(losses, size)));
  for (const moment of moments.slice(0, greatest)) {
    const { n } = moment;
    const isHeld = !hasAny(moment, CLOSES) || isIn(losses, n) || sizes.has(n);
    demand(isHeld, "malformed", { n }, "the commit closes an epoch, and its checkpoint is missing");
  }
}

/**
 * Checks the coverage of heads if a key was given or the bundle has a head: they must cover a closed record whole, an
 * open one up to the last commit that closes an epoch or accepts a loss.
 * @throws Verdict `unsigned_from`
 */
export function holdCoverage({ moments, checkpoints, disclosures }, heads, { given }) {
  if (given.length === 0 && checkpoints.length === 0) return;
  const size = Math.max(0, ...heads.map((head) => head.size));
  const isClosed = moments.some((moment) => hasAny(moment, ENDS));
  const closes = moments.filter((moment) => hasAny(moment, ["epoch_closed"])).map(({ n }) => n);
  const accepts = claimedLosses(moments).map(({ acceptedIn }) => acceptedIn);
  const owed = isClosed || disclosures.length > 0 ? moments.length : Math.max(0, ...closes, ...accepts);
  const covered = `accepted heads cover ${size} of ${moments.length} commits, and must cover commit ${owed}`;
  const detail = size > 0 ? covered : "no accepted key has signed any commit of this record";
  demand(size > 0 && size >= owed, "unsigned_from", { n: size + 1 }, detail);
}

const hasAny = (moment, types) => publicEvents(moment).some(({ type }) => types.includes(type));
/** Whether a number is in one of the losses. */
export const isIn = (losses, n) => losses.some(({ from, to }) => from <= n && n <= to);

/** Whether an event states that signed commits were lost. */
export const claimsLoss = ({ type, lost }) => type === "epoch_advanced" && object(lost) && Number.isInteger(lost.size);

/** The places where the record claims that signed commits were lost, each with the commit that accepts it. */
export function claimedLosses(moments) {
  return moments.flatMap((moment) =>
    publicEvents(moment)
      .filter(claimsLoss)
      .map(({ lost }) => ({ from: firstSetAside(moments, moment.n), acceptedIn: moment.n, to: lost.size })),
  );
}

/** The number of the first of the quarantined commands directly before commit n; n if there is none. */
function firstSetAside(moments, n) {
  let first = n;
  while (moments[first - 2]?.commit.outcome === "quarantined") first -= 1;
  return first;
}

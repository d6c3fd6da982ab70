// Hold the record to what others keep of it: signed checkpoints, and receipts that whoever asks was given.

import { hex } from "./bytes.mjs";
import { hasSigned, linesOf, namedIn, parsedCheckpoint, verifierKey } from "./notes.mjs";
import { rootsAt } from "./tree.mjs";
import { Fault } from "./verdict.mjs";

/** Return the believed checkpoints, the key of the greatest, and how many were passed over; throws a `Fault`. */
export const signedHeads = async (evidence, believedKeys) => {
  const points = [];
  let key = null;
  let passedOver = 0;
  const given = believedKeys.map(hex);
  for (const note of evidence.notes) {
    const point = parsedCheckpoint(note);
    const signer = await signerOf(evidence, point);
    if (given.length === 0 || (await follows(evidence, signer.name, given)).has(signer.digits)) {
      points.push(point);
      key = verifierKey(point.origin, signer.public); // they stand in the order of their sizes
    } else if (reaches(await follows(evidence, signer.name, [signer.digits]), given)) {
      passedOver += 1;
    } else {
      throw accused(point, `it was signed by ${signer.digits.slice(0, 16)}…, which is not believed`);
    }
  }
  return { points, key, passedOver };
};

const accused = (point, why) => new Fault("tampered", point.size, `the checkpoint of ${point.size} commits: ${why}`);

const reaches = (found, given) => given.some((digits) => found.has(digits));

/** Return the first key whose signature a checkpoint has, if that is true; throws a `Fault`. */
const signerOf = async (evidence, point) => {
  for (const key of evidence.keys) {
    const name = `${key.name}/${evidence.encounter}`;
    if (linesOf(point, name, key.public).length === 0) continue;
    if (point.origin !== name) throw accused(point, `it is of ${point.origin}, the key is of ${name}`);
    if (!(await hasSigned(point, name, key.public))) throw accused(point, "the signature is false");
    return key;
  }
  throw accused(point, "no key that is told here has signed it");
};

/** Return the keys (as digits) that follow from some by rotations of this name, these included. */
const follows = async (evidence, name, start) => {
  const found = new Set(start);
  const rotations = evidence.keys.filter((key) => key.name === name && key.rotation !== null);
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { rotation } of rotations) {
      for (const older of [...found]) {
        const named = await namedIn(rotation, name, unhexed(older));
        if (named !== null) found.add(hex(named));
      }
    }
  }
  return found;
};

const unhexed = (digits) => Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));

/** Return which commits the record itself says were signed once and lost: first and last numbers. */
export const lostIn = (commits) => commits.flatMap((commit, at) =>
  commit.events.filter(isAcceptedLoss).map((event) => [firstOfIt(commits, at) + 1, event.lost.size]));

/** Return the checkpoints without those of a history that the record itself says was lost, and accepted so. */
export const notGivenUp = (points, commits) => {
  const lost = lostIn(commits);
  return points.filter(({ size }) => !lost.some(([first, to]) => first <= size && size <= to));
};

const isAcceptedLoss = (event) =>
  ["epoch_advanced", "dice_moved"].includes(event.type) && Number.isInteger(event.lost?.size);

/** Return the index of the first of the commands that were set aside right before the acceptance. */
const firstOfIt = (commits, at) => {
  let first = at;
  while (first > 0 && commits[first - 1].outcome === "quarantined") first -= 1;
  return first;
};

/** Compare with receipts `{n, hash}` and checkpoints: contradicted, cut off, or two truths; throws a `Fault`. */
export const checkWitnesses = (evidence, commits, receipts, points) => {
  const roots = rootsAt(commits.map(({ digest }) => digest), points.map(({ size }) => size));
  const told = [
    ...receipts.map(({ n, hash }) => ({ n, said: hash, found: commits[n - 1]?.hash })),
    ...points.map(({ size, root }) => ({ n: size, said: root, found: rootDigits(roots, size) })),
  ];
  const isTrue = ({ said, found }) => said === found;
  const isFalse = ({ said, found }) => found !== undefined && said !== found;
  const numbers = (test) => told.filter(test).map(({ n }) => n).sort((one, other) => one - other);
  const [first] = numbers(isFalse);
  const forked = isForked(points, roots);
  if (first !== undefined && !forked) {
    const from = Math.max(0, ...numbers(isTrue).filter((n) => n < first)) + 1;
    const detail = `what was signed or told of commit ${first} is not what stands here`;
    throw new Fault("tampered", from, detail, { to: from === first ? null : first });
  }
  const last = Math.max(evidence.count, ...told.map(({ n }) => n));
  if (last > commits.length) {
    throw new Fault("truncated", commits.length + 1, `${commits.length} commits are here, ${last} were written`, { to: last });
  }
  if (forked) throw new Fault("forked", first ?? null, "two signed heads contradict each other");
};

const rootDigits = (roots, size) => (roots.has(size) ? hex(roots.get(size)) : undefined);

/** Tell whether the signer contradicts itself: two roots of one size, or one signed beyond a false one. */
const isForked = (points, roots) => {
  const isTwofold = points.some((one) => points.some((other) => one.size === other.size && one.root !== other.root));
  const known = points.filter(({ size }) => roots.has(size));
  const wrong = known.filter(({ size, root }) => rootDigits(roots, size) !== root).map(({ size }) => size);
  const right = known.filter(({ size, root }) => rootDigits(roots, size) === root).map(({ size }) => size);
  return isTwofold || (wrong.length > 0 && Math.max(0, ...right) >= Math.min(...wrong));
};

// The tree of RFC 9162 over the hashes of commits: its roots, and proofs that something is in it.

import { joined, same, number } from "./bytes.mjs";
import { sha256 } from "./sha256.mjs";

const NODE = number(1, 1);
const node = (left, right) => sha256(joined(NODE, left, right));

/** Return the roots over the first so many leaves, for each of *sizes* that the leaves reach, in a Map. */
export const rootsAt = (leaves, sizes) => {
  const wanted = new Set(sizes);
  const found = new Map();
  const peaks = []; // whole subtrees from the left, each {height, hash}, every one higher than the next
  if (wanted.has(0)) found.set(0, sha256(new Uint8Array(0)));
  leaves.forEach((leaf, at) => {
    let top = { height: 0, hash: leaf };
    while (peaks.length && peaks[peaks.length - 1].height === top.height) {
      top = { height: top.height + 1, hash: node(peaks.pop().hash, top.hash) };
    }
    peaks.push(top);
    if (wanted.has(at + 1)) {
      found.set(at + 1, peaks.reduceRight((right, peak) => (right ? node(peak.hash, right) : peak.hash), null));
    }
  });
  return found;
};

/** Return the root over all leaves. */
export const root = (leaves) => rootsAt(leaves, [leaves.length]).get(leaves.length);

/** Tell whether a proof leads from leaf *index* of *size* to a root (RFC 9162, 2.1.3.2). */
export const includes = (leaf, index, size, proof, rootOf) => {
  if (index < 0 || index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const step of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = node(step, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      hash = node(hash, step);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && same(hash, rootOf);
};

/** Tell whether a proof shows that the tree of *first* leaves begins that of *second* (RFC 9162, 2.1.4.2). */
export const isPrefix = (first, second, proof, firstRoot, secondRoot) => {
  if (first === second) return proof.length === 0 && same(firstRoot, secondRoot);
  if (first < 1 || first > second || proof.length === 0) return false;
  const steps = Number.isInteger(Math.log2(first)) ? [firstRoot, ...proof] : [...proof];
  let [at, last] = [first - 1, second - 1];
  while (at % 2 === 1) [at, last] = [(at - 1) / 2, Math.floor(last / 2)];
  let [old, whole] = [steps[0], steps[0]];
  for (const step of steps.slice(1)) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [old, whole] = [node(step, old), node(step, whole)];
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      whole = node(whole, step);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && same(old, firstRoot) && same(whole, secondRoot);
};

// The Merkle tree of RFC 9162 over the commits' hashes: roots, and inclusion and consistency proofs.

import { fromHex, joined, same, toHex } from "./bytes.mjs";
import { sha256 } from "./sha2.mjs";

/** The leaf of a commit, which is its hash. */
export function leaf(commit) {
  return sha256(joined(Uint8Array.of(0), commit));
}

/** The hash over two subtrees. */
export function node(left, right) {
  return sha256(joined(Uint8Array.of(1), left, right));
}

/** The roots by size, as hexadecimal digits, for each of `sizes` that the leaves reach. */
export function rootsAt(leaves, sizes) {
  const wanted = new Set(sizes);
  const whole = []; // whole subtrees from the left, each larger than the next
  const found = new Map();
  for (let size = 0; size <= leaves.length; size += 1) {
    if (size > 0) grow(whole, leaves[size - 1], size);
    if (wanted.has(size)) found.set(size, toHex(over(whole)));
  }
  return found;
}

/** The root over all leaves, as hexadecimal digits. */
export function root(leaves) {
  return rootsAt(leaves, [leaves.length]).get(leaves.length);
}

/** Adds the leaf that completes a tree of this size, and joins complete subtrees of equal size. */
function grow(whole, hash, size) {
  let added = hash;
  for (let rest = size; rest % 2 === 0; rest /= 2) added = node(whole.pop(), added);
  whole.push(added);
}

function over(whole) {
  return whole.length === 0 ? sha256(new Uint8Array()) : whole.reduceRight((right, left) => node(left, right));
}

/**
 * What stands beside the way from the leaf at `index` (from 0) up to the root over all `leaves`: from below, each `{hash, isLeft}`.
 * Their hashes are the inclusion proof of RFC 9162.
 */
export function besides(leaves, index) {
  if (leaves.length === 1) return [];
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  const isRight = index >= half;
  const below = isRight ? besides(right, index - half) : besides(left, index);
  return [...below, { hash: fromHex(root(isRight ? left : right)), isLeft: isRight }];
}

/** Whether a proof leads from the leaf at `index` (from 0) to the root of a tree of this size (RFC 9162, 2.1.3.2). */
export function includes(hash, index, size, proof, rootHash) {
  const found = rootFrom(hash, index, size, proof);
  return found !== null && same(found, rootHash);
}

/** The root to which a proof leads from the leaf at `index` (from 0) of a tree of this size; null if it leads to none. */
export function rootFrom(hash, index, size, proof) {
  if (index >= size) return null;
  const walk = { at: index, last: size - 1 };
  let found = hash;
  for (const step of proof) {
    if (walk.last === 0) return null;
    found = isRight(walk) ? node(step, found) : node(found, step);
    climb(walk);
  }
  return walk.last === 0 ? found : null;
}

/** Whether a proof shows that one tree is a prefix of another (RFC 9162, 2.1.4.2). */
export function continues(size, rootHash, laterSize, laterRoot, proof) {
  if (size === laterSize) return proof.length === 0 && same(rootHash, laterRoot);
  if (size < 1 || size > laterSize || proof.length === 0) return false;
  const [start, ...steps] = Number.isInteger(Math.log2(size)) ? [rootHash, ...proof] : proof;
  const walk = { at: size - 1, last: laterSize - 1 };
  while (walk.at % 2 === 1) up(walk);
  let [old, later] = [start, start];
  for (const step of steps) {
    if (walk.last === 0) return false;
    if (isRight(walk)) old = node(step, old);
    later = isRight(walk) ? node(step, later) : node(later, step);
    climb(walk);
  }
  return walk.last === 0 && same(old, rootHash) && same(later, laterRoot);
}

function isRight({ at, last }) {
  return at % 2 === 1 || at === last;
}

/** One level up, skipping the levels on which the last node has no sibling. */
function climb(walk) {
  if (isRight(walk)) while (walk.at % 2 === 0 && walk.at !== 0) up(walk);
  up(walk);
}

function up(walk) {
  walk.at = Math.floor(walk.at / 2);
  walk.last = Math.floor(walk.last / 2);
}

// Verify Ed25519 (RFC 8032, 5.1.7) and compute SHA-512 (FIPS 180-4) with big integers: slow, and everywhere.
//
// Nothing secret goes through here, so nothing needs to take constant time.

import { hex, joined } from "./bytes.mjs";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const WORD = 2n ** 64n;

const modulo = (value, by = P) => ((value % by) + by) % by;

const power = (base, exponent, by = P) => {
  let [found, square] = [1n, modulo(base, by)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) found = (found * square) % by;
    square = (square * square) % by;
  }
  return found;
};

const inverse = (value) => power(value, P - 2n);
const D = modulo(-121665n * inverse(121666n));
const ROOT = power(2n, (P - 1n) / 4n); // a square root of -1

/** Return the number that bytes spell, the least first. */
const little = (bytes) => BigInt(`0x${hex(Uint8Array.from(bytes).reverse())}`);

/** Return the point that 32 bytes spell as [X, Y, Z, T], null where they spell none. */
const pointOf = (bytes) => {
  const sign = bytes[31] >> 7;
  const y = little(bytes) & ((1n << 255n) - 1n);
  if (y >= P) return null;
  const [u, v] = [modulo(y * y - 1n), modulo(D * y * y + 1n)];
  let x = modulo(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n));
  if (modulo(v * x * x) !== u) {
    if (modulo(v * x * x) !== modulo(-u)) return null;
    x = modulo(x * ROOT);
  }
  if (x === 0n && sign) return null;
  if (Number(x & 1n) !== sign) x = P - x;
  return [x, y, 1n, modulo(x * y)];
};

const added = ([x1, y1, z1, t1], [x2, y2, z2, t2]) => {
  const a = modulo((y1 - x1) * (y2 - x2));
  const b = modulo((y1 + x1) * (y2 + x2));
  const c = modulo(2n * t1 * t2 * D);
  const d = modulo(2n * z1 * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)];
};

const times = (point, factor) => {
  let [found, double] = [[0n, 1n, 1n, 0n], point];
  for (let left = factor; left > 0n; left >>= 1n) {
    if (left & 1n) found = added(found, double);
    double = added(double, double);
  }
  return found;
};

const negated = ([x, y, z, t]) => [modulo(-x), y, z, modulo(-t)];

const spelledPoint = ([x, y, z]) => {
  const one = inverse(z);
  const [affine, height] = [modulo(x * one), modulo(y * one)];
  const value = height | ((affine & 1n) << 255n);
  return Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));
};

const BASE = pointOf(joined(new Uint8Array([0x58]), new Uint8Array(31).fill(0x66)));

/** Tell whether the owner of a public key signed a message: [8][S]B = [8]R + [8][k]A is not asked, [S]B = R + [k]A is. */
export const isSignedPlainly = (message, signature, key) => {
  const [r, s, point] = [signature.subarray(0, 32), little(signature.subarray(32)), pointOf(key)];
  if (s >= L || point === null) return false;
  const k = little(sha512(joined(r, key, message))) % L;
  const found = spelledPoint(added(times(BASE, s), negated(times(point, k))));
  return found.every((byte, at) => byte === r[at]);
};

// --- SHA-512 -----------------------------------------------------------------------------------------------

const primes = (count) => {
  const found = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime)) found.push(n);
  return found.map(BigInt);
};

/** Return the first 64 bits of the fractional part of a whole number's root of this degree. */
const fraction = (value, degree) => {
  const wanted = value << (64n * degree);
  let [low, high] = [0n, 1n << 72n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= wanted) low = middle;
    else high = middle;
  }
  return low % WORD;
};

const K = primes(80).map((prime) => fraction(prime, 3n));
const START = primes(8).map((prime) => fraction(prime, 2n));

const turned = (value, by) => ((value >> BigInt(by)) | (value << BigInt(64 - by))) & (WORD - 1n);

/** Return the SHA-512 of bytes: 64 bytes. */
export const sha512 = (bytes) => {
  const padded = new Uint8Array(Math.ceil((bytes.length + 17) / 128) * 128);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  let state = START;
  for (let at = 0; at < padded.length; at += 128) state = compressed(state, view, at);
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, at) => digest.setBigUint64(8 * at, word));
  return new Uint8Array(digest.buffer);
};

const compressed = (state, view, at) => {
  const w = Array.from({ length: 16 }, (_, i) => view.getBigUint64(at + 8 * i));
  for (let i = 16; i < 80; i += 1) {
    const [x, y] = [w[i - 15], w[i - 2]];
    const low = turned(x, 1) ^ turned(x, 8) ^ (x >> 7n);
    const high = turned(y, 19) ^ turned(y, 61) ^ (y >> 6n);
    w.push((w[i - 16] + low + w[i - 7] + high) % WORD);
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 80; i += 1) {
    const s1 = turned(e, 14) ^ turned(e, 18) ^ turned(e, 41);
    const one = (h + s1 + ((e & f) ^ ((WORD - 1n - e) & g)) + K[i] + w[i]) % WORD;
    const s0 = turned(a, 28) ^ turned(a, 34) ^ turned(a, 39);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) % WORD;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) % WORD, c, b, a, (one + two) % WORD];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + state[i]) % WORD);
};

// Compute SHA-256 (FIPS 180-4), HMAC (RFC 2104) and HKDF (RFC 5869) in plain JavaScript, at once and anywhere.
//
// A browser's own digest answers later and only on secure pages. A die takes four of the steps below.

import { joined, number } from "./bytes.mjs";

const BLOCK = 64;

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

/** The same of the square roots of the first 8 primes. */
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const w = new Int32Array(64);

/** Work one block of 64 bytes, which begins at *at*, into a state of eight words. */
const compress = (state, bytes, at) => {
  for (let i = 0; i < 16; i += 1) {
    const j = at + 4 * i;
    w[i] = (bytes[j] << 24) | (bytes[j + 1] << 16) | (bytes[j + 2] << 8) | bytes[j + 3];
  }
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15];
    const y = w[i - 2];
    const low = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const high = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] + low + w[i - 7] + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + one) | 0;
    d = c; c = b; b = a; a = (one + two) | 0;
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d;
  state[4] += e; state[5] += f; state[6] += g; state[7] += h;
};

/** Return the digest of what a state has taken in (*before* bytes, whole blocks) and of *bytes* behind it. */
const finished = (started, before, bytes) => {
  const state = Int32Array.from(started);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) compress(state, bytes, at);
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < BLOCK - 8 ? BLOCK : 2 * BLOCK);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  tail.set(number((before + bytes.length) * 8, 8), tail.length - 8);
  for (let at = 0; at < tail.length; at += BLOCK) compress(state, tail, at);
  const digest = new Uint8Array(32);
  for (let i = 0; i < 32; i += 1) digest[i] = state[i >> 2] >>> (24 - 8 * (i & 3));
  return digest;
};

/** Return the SHA-256 of all parts behind each other: 32 bytes. */
export const sha256 = (...parts) => finished(START, 0, parts.length === 1 ? parts[0] : joined(...parts));

/** Return a function that authenticates bytes with this key: the key is worked in once. */
export const hmacWith = (key) => {
  const padded = new Uint8Array(BLOCK);
  padded.set(key.length > BLOCK ? sha256(key) : key);
  const started = (mask) => {
    const state = Int32Array.from(START);
    compress(state, padded.map((byte) => byte ^ mask), 0);
    return state;
  };
  const inner = started(0x36);
  const outer = started(0x5c);
  return (bytes) => finished(outer, BLOCK, finished(inner, BLOCK, bytes));
};

/** Return 32 bytes of HKDF: one block of output, so its counter is always 1. */
export const hkdf = (salt, secret, info) => hmacWith(hmacWith(salt)(secret))(joined(info, number(1, 1)));

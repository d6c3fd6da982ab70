// SHA-256 and SHA-512 (FIPS 180-4), HMAC (RFC 2104) and HKDF (RFC 5869), because a page without TLS has no Web Crypto.

import { joined, number } from "./bytes.mjs";

const PRIMES = firstPrimes(80);
const K512 = PRIMES.map((prime) => fraction(prime, 3n));
const H512 = PRIMES.slice(0, 8).map((prime) => fraction(prime, 2n));
const K256 = Int32Array.from(K512.slice(0, 64), (word) => Number(word >> 32n));
const H256 = Int32Array.from(H512, (word) => Number(word >> 32n));

function firstPrimes(count) {
  const found = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime)) found.push(n);
  return found.map(BigInt);
}

/** The first 64 fractional bits of the square or cube root of n, by bisection. */
function fraction(n, power) {
  const goal = n << (64n * power);
  let low = 0n;
  let high = 1n << 70n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** power <= goal) low = middle;
    else high = middle;
  }
  return low & 0xffffffffffffffffn;
}

/** The padded message: a one bit, zeros, and the length in bits at the end of the last block. */
function padded(message, block) {
  const tail = block / 8;
  const zeros = (2 * block - tail - 1 - (message.length % block)) % block;
  return joined(message, Uint8Array.of(0x80), new Uint8Array(zeros), number(message.length * 8, tail));
}

const turned = (word, by) => (word >>> by) | (word << (32 - by));

export function sha256(message) {
  const all = padded(message, 64);
  const view = new DataView(all.buffer);
  const state = Int32Array.from(H256);
  const w = new Int32Array(64);
  for (let at = 0; at < all.length; at += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    compress256(state, w);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

function compress256(state, w) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K256[i] + w[i]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

const MASK = 0xffffffffffffffffn;
const turned64 = (word, by) => ((word >> by) | (word << (64n - by))) & MASK;

export function sha512(message) {
  const all = padded(message, 128);
  const view = new DataView(all.buffer);
  let state = H512;
  for (let at = 0; at < all.length; at += 128) {
    const w = Array.from({ length: 16 }, (_, i) => view.getBigUint64(at + 8 * i));
    for (let i = 16; i < 80; i += 1) {
      const s0 = turned64(w[i - 15], 1n) ^ turned64(w[i - 15], 8n) ^ (w[i - 15] >> 7n);
      const s1 = turned64(w[i - 2], 19n) ^ turned64(w[i - 2], 61n) ^ (w[i - 2] >> 6n);
      w.push((w[i - 16] + s0 + w[i - 7] + s1) & MASK);
    }
    state = compress512(state, w);
  }
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, i) => digest.setBigUint64(8 * i, word));
  return new Uint8Array(digest.buffer);
}

function compress512(state, w) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 80; i += 1) {
    const s1 = turned64(e, 14n) ^ turned64(e, 18n) ^ turned64(e, 41n);
    const t1 = h + s1 + ((e & f) ^ (~e & MASK & g)) + K512[i] + w[i];
    const s0 = turned64(a, 28n) ^ turned64(a, 34n) ^ turned64(a, 39n);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & MASK, c, b, a, (t1 + t2) & MASK];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (state[i] + word) & MASK);
}

/** HMAC with SHA-256. */
export function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message));
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner));
}

/** The first 32 bytes of HKDF with SHA-256. */
export function hkdf(salt, secret, info) {
  return hmac(hmac(salt, secret), joined(info, Uint8Array.of(1)));
}

// Verification of Ed25519 signatures (RFC 8032, 5.1). All inputs are public, so constant time is not needed.

import { joined, same } from "./bytes.mjs";
import { sha512 } from "./sha2.mjs";

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = reduced(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_1 = power(2n, (P - 1n) / 4n);
const NEUTRAL = { x: 0n, y: 1n, z: 1n, t: 0n };
const BASE = decoded(Uint8Array.of(0x58, ...new Uint8Array(31).fill(0x66)));

function reduced(n) {
  const rest = n % P;
  return rest < 0n ? rest + P : rest;
}

function power(base, exponent) {
  let found = 1n;
  for (let square = base; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) found = reduced(found * square);
    square = reduced(square * square);
  }
  return found;
}

/** Decodes a little-endian number. */
function little(bytes) {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** Decodes a point from 32 bytes (5.1.3); null if they encode none. */
function decoded(bytes) {
  const encoding = little(bytes);
  const sign = encoding >> 255n;
  const y = encoding & (2n ** 255n - 1n);
  if (y >= P) return null;
  const u = reduced(y * y - 1n);
  const v = reduced(D * y * y + 1n);
  let x = reduced(u * v ** 3n * power(reduced(u * v ** 7n), (P - 5n) / 8n));
  const square = reduced(v * x * x);
  if (square === reduced(-u)) x = reduced(x * ROOT_OF_MINUS_1);
  else if (square !== u) return null;
  if (x === 0n && sign) return null;
  if ((x & 1n) !== sign) x = P - x;
  return { x, y, z: 1n, t: reduced(x * y) };
}

function encoded({ x, y, z }) {
  const inverse = power(z, P - 2n);
  let encoding = reduced(y * inverse) | ((reduced(x * inverse) & 1n) << 255n);
  return Uint8Array.from({ length: 32 }, () => {
    const byte = Number(encoding & 255n);
    encoding >>= 8n;
    return byte;
  });
}

function sum(p, q) {
  const a = reduced((p.y - p.x) * (q.y - q.x));
  const b = reduced((p.y + p.x) * (q.y + q.x));
  const c = reduced(2n * D * p.t * q.t);
  const d = reduced(2n * p.z * q.z);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return { x: reduced(e * f), y: reduced(g * h), z: reduced(f * g), t: reduced(e * h) };
}

function times(scalar, point) {
  let found = NEUTRAL;
  for (let double = point; scalar > 0n; scalar >>= 1n) {
    if (scalar & 1n) found = sum(found, double);
    double = sum(double, double);
  }
  return found;
}

/** Whether `signature` (64 bytes) is a valid signature of the message by the public key (32 bytes). */
export function verifies(publicKey, message, signature) {
  const key = decoded(publicKey);
  const r = signature.slice(0, 32);
  const s = little(signature.slice(32));
  if (key === null || s >= ORDER) return false;
  const k = little(sha512(joined(r, publicKey, message))) % ORDER;
  const minusKey = { x: reduced(-key.x), y: key.y, z: key.z, t: reduced(-key.t) };
  return same(encoded(sum(times(s, BASE), times(k, minusKey))), r);
}

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

/** Node's own Ed25519, which is OpenSSL's; undefined elsewhere. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto");
const SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
const parsedKeys = new Map();

/** What is known of signatures already, and what is to be asked of the browser; null if nothing is collected. */
const known = new Map();
let wanted = null;

/** Whether `signature` (64 bytes) is a valid signature of the message by the public key (32 bytes). */
export function verifies(publicKey, message, signature) {
  const name = nameOf(publicKey, message, signature);
  if (known.has(name)) return known.get(name);
  if (wanted !== null) {
    wanted.set(name, [publicKey, message, signature]);
    return true;
  }
  if (!isKey(publicKey) || little(signature.slice(32)) >= ORDER) return false;
  const isTrue = native !== undefined && native.verify(null, message, keyOf(publicKey), signature);
  return isTrue || computed(publicKey, message, signature); // libraries refuse keys of small order, which the equation takes
}

/**
 * Runs `run` with the browser's own Ed25519, if it has it: once to collect the signatures that it asks for, as if all were
 * true, and once more when the browser has verified them. Node needs no such help.
 * @param progress called with how many of how many signatures are verified
 */
export async function natively(run, progress = () => {}) {
  if (native !== undefined || !(await hasEd25519())) return run();
  const asked = collected(run);
  let done = 0;
  try {
    for (const [name, [publicKey, message, signature]] of asked) {
      if (isKey(publicKey) && (await isSigned(publicKey, message, signature))) known.set(name, true);
      done += 1;
      if (done % 50 === 0) progress(done, asked.size);
    }
    return run();
  } finally {
    known.clear();
  }
}

function collected(run) {
  const asked = new Map();
  wanted = asked;
  try {
    run();
  } catch {
    // it is run again, and then says so
  }
  wanted = null;
  return asked;
}

const ALGORITHM = { name: "Ed25519" };

async function hasEd25519() {
  try {
    await globalThis.crypto.subtle.importKey("raw", Uint8Array.of(0x58, ...new Uint8Array(31).fill(0x66)), ALGORITHM, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

async function isSigned(publicKey, message, signature) {
  const key = await globalThis.crypto.subtle.importKey("raw", publicKey, ALGORITHM, false, ["verify"]);
  return globalThis.crypto.subtle.verify(ALGORITHM, key, signature, message);
}

const latin1 = new TextDecoder("latin1");
const nameOf = (...parts) => parts.map((part) => `${part.length}:${latin1.decode(part)}`).join("");

const isKeys = new Map();

/** Whether 32 bytes encode a point; few keys sign many commands. */
function isKey(publicKey) {
  const name = String.fromCharCode(...publicKey);
  if (!isKeys.has(name)) isKeys.set(name, decoded(publicKey) !== null);
  return isKeys.get(name);
}

function keyOf(publicKey) {
  const name = String.fromCharCode(...publicKey);
  if (!parsedKeys.has(name)) parsedKeys.set(name, native.createPublicKey({ key: joined(SPKI, publicKey), format: "der", type: "spki" }));
  return parsedKeys.get(name);
}

/** The equation of 5.1.7, where there is nothing faster. */
export function computed(publicKey, message, signature) {
  const key = decoded(publicKey);
  const r = signature.slice(0, 32);
  const s = little(signature.slice(32));
  if (key === null || s >= ORDER) return false;
  const k = little(sha512(joined(r, publicKey, message))) % ORDER;
  const minusKey = { x: reduced(-key.x), y: key.y, z: key.z, t: reduced(-key.t) };
  return same(encoded(sum(times(s, BASE), times(k, minusKey))), r);
}

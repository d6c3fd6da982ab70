// Verify Ed25519 signatures (RFC 8032) with the platform's own cryptography, or in plain JavaScript without it.
//
// A browser has no cryptography on pages that are not secure, and older ones do not know Ed25519.

import { joined } from "./bytes.mjs";
import { isSignedPlainly } from "./ed25519_plain.mjs";

let native; // a promise: the platform's SubtleCrypto if it knows Ed25519, else null

const subtle = async () => {
  try {
    const found = globalThis.crypto?.subtle ?? (await import("node:crypto")).webcrypto.subtle;
    await found.importKey("raw", BASE, "Ed25519", false, ["verify"]);
    return found;
  } catch {
    return null;
  }
};

/** The base point: a key that every platform that knows Ed25519 can read. */
const BASE = joined(new Uint8Array([0x58]), new Uint8Array(31).fill(0x66));

/** Tell whether the owner of a public key (32 bytes) signed a message. */
export const isSigned = async (message, signature, key) => {
  if (signature.length !== 64 || key.length !== 32) return false;
  native ??= subtle();
  const platform = await native;
  if (platform === null) return isSignedPlainly(message, signature, key);
  try {
    const imported = await platform.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await platform.verify("Ed25519", imported, signature, message);
  } catch {
    return false;
  }
};

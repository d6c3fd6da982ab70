// The bytes that hashes and signatures cover.

/** Return text as UTF-8. @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export const utf8 = (text) => Uint8Array.from(new TextEncoder().encode(text));

/** Return bytes as hexadecimal digits. @param {Iterable<number>} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return the bytes of hexadecimal digits. @param {string} digits */
export const fromHex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** Return bytes behind one another. @param {...ArrayLike<number>} parts */
export const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));

/** Return the SHA-256 of bytes. @param {Uint8Array<ArrayBuffer>} bytes */
export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** Return the canonical JSON of a value. @returns {string} */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

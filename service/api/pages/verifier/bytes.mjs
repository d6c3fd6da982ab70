// Turn numbers, hexadecimal digits, base64 and text into bytes and back, each in its one spelling.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Return the UTF-8 bytes of a text. */
export const utf8 = (text) => encoder.encode(text);

/** Return the text that UTF-8 bytes spell; throws where they spell none. */
export const textOf = (bytes) => decoder.decode(bytes);

/** Return all parts behind each other. */
export const joined = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** Return a whole number as so many bytes, the greatest first. */
export const number = (value, size) => {
  const bytes = new Uint8Array(size);
  let rest = value;
  for (let at = size - 1; at >= 0; at -= 1) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
};

/** Return bytes as lower-case hexadecimal digits. */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return the bytes that so many lower-case hexadecimal digits spell, null where they are none. */
export const unhex = (text, digits = 64) => {
  if (typeof text !== "string" || text.length !== digits || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length: digits / 2 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
};

/** Return bytes in base64. */
export const base64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const held = bytes.length - at;
    const three = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += ALPHABET[three >> 18] + ALPHABET[(three >> 12) & 63];
    text += held > 1 ? ALPHABET[(three >> 6) & 63] : "=";
    text += held > 2 ? ALPHABET[three & 63] : "=";
  }
  return text;
};

/** Return the bytes of which a text is the one base64 spelling, null where it is none. */
export const unbase64 = (text) => {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const digits = text.replace(/=+$/, "");
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const digit of digits) {
    held = (held << 6) | ALPHABET.indexOf(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at] = (held >> bits) & 255;
      at += 1;
      held &= (1 << bits) - 1;
    }
  }
  return base64(bytes) === text ? bytes : null;
};

/** Tell whether two byte strings are the same. */
export const same = (one, other) =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** Return the 16 bytes of a UUID in lower case with hyphens, null where it is none. */
export const uuidBytes = (text) => {
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  return typeof text === "string" && shape.test(text) ? unhex(text.replaceAll("-", ""), 32) : null;
};

// Bytes and their text encodings: UTF-8, hexadecimal digits, canonical base64.

const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function utf8(text) {
  return new TextEncoder().encode(text);
}

/** Decodes UTF-8; null if the bytes are not UTF-8. A byte order mark is an ordinary character. */
export function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function joined(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function same(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Encodes an integer below 2^53 in `size` bytes, big-endian. */
export function number(value, size) {
  const bytes = new Uint8Array(size);
  for (let i = size - 1; i >= 0; i -= 1) {
    bytes[i] = value % 256;
    value = Math.floor(value / 256);
  }
  return bytes;
}

/** Encodes text, preceded by its length in two bytes. */
export function measured(text) {
  const bytes = utf8(text);
  return joined(number(bytes.length, 2), bytes);
}

export function isHex(value, digits) {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
}

export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function isUuid(value) {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

export function uuidBytes(uuid) {
  return fromHex(uuid.replaceAll("-", ""));
}

export function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += STANDARD[word >> 18] + STANDARD[(word >> 12) & 63];
    text += left > 1 ? STANDARD[(word >> 6) & 63] : "=";
    text += left > 2 ? STANDARD[word & 63] : "=";
  }
  return text;
}

/** Decodes base64; null if the text is not the canonical encoding. */
export function fromBase64(text) {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const digits = text.replace(/=+$/, "");
  const bytes = [];
  let held = 0;
  let bits = 0;
  for (const digit of digits) {
    held = ((held << 6) | STANDARD.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 255);
    }
  }
  const found = Uint8Array.from(bytes);
  return toBase64(found) === text ? found : null;
}

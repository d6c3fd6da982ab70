// Read bytes that are the one spelling of a JSON value, and spell values so (RFC 8785 in a narrow profile).
//
// The reader does not read leniently and compare afterwards: whatever an encoder would not write ends it.

import { textOf } from "./bytes.mjs";

const DEEPEST = 64;
const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\" };
const ESCAPED = new Map(Object.entries(ESCAPES).map(([plain, written]) => [written[1], plain]));
const NUMBER = /-?(?:0|[1-9][0-9]{0,15})/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ASCII = /^[\u0000-\u007f]*$/;

/** Bytes that are not the one spelling of a value in the profile. */
export class NotCanonical extends Error {}

/** Return the value that bytes are the one spelling of; throws `NotCanonical`. Objects have no prototype. */
export const parse = (bytes) => {
  let text;
  try {
    text = textOf(bytes);
  } catch {
    throw new NotCanonical("not UTF-8");
  }
  return new Reader(text).whole();
};

/** Return the value, or undefined where the bytes spell none. */
export const parsed = (bytes) => {
  try {
    return parse(bytes);
  } catch (fault) {
    if (fault instanceof NotCanonical) return undefined;
    throw fault;
  }
};

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  whole() {
    const value = this.value(DEEPEST);
    if (this.at !== this.text.length) this.fail("something follows the value");
    return value;
  }

  fail(why) {
    throw new NotCanonical(`character ${this.at}: ${why}`);
  }

  take(wanted) {
    if (!this.text.startsWith(wanted, this.at)) this.fail(`${JSON.stringify(wanted)} is wanted`);
    this.at += wanted.length;
  }

  has(wanted) {
    if (this.text[this.at] !== wanted) return false;
    this.at += 1;
    return true;
  }

  value(levels) {
    switch (this.text[this.at]) {
      case "{": return this.object(levels);
      case "[": return this.list(levels);
      case '"': return this.string();
      case "t": this.take("true"); return true;
      case "f": this.take("false"); return false;
      case "n": this.take("null"); return null;
      default: return this.number();
    }
  }

  object(levels) {
    if (levels === 0) this.fail("too deep");
    this.take("{");
    const found = Object.create(null);
    if (this.has("}")) return found;
    let last = null;
    do {
      const name = this.string();
      if (!ASCII.test(name)) this.fail("a name is not ASCII");
      if (last !== null && name <= last) this.fail("names are not in order, or stand twice");
      this.take(":");
      found[name] = this.value(levels - 1);
      last = name;
    } while (this.has(","));
    this.take("}");
    return found;
  }

  list(levels) {
    if (levels === 0) this.fail("too deep");
    this.take("[");
    const found = [];
    if (this.has("]")) return found;
    do found.push(this.value(levels - 1)); while (this.has(","));
    this.take("]");
    return found;
  }

  string() {
    this.take('"');
    let found = "";
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.text)[0];
      found += plain;
      this.at += plain.length;
      if (this.has('"')) break;
      if (!this.has("\\")) this.fail("text does not end, or has a bare control character");
      found += this.escaped();
    }
    if (!ASCII.test(found) && found.normalize("NFC") !== found) this.fail("text is not in NFC");
    return found;
  }

  escaped() {
    const letter = this.text[this.at];
    this.at += 1;
    if (ESCAPED.has(letter)) return ESCAPED.get(letter);
    const digits = this.text.slice(this.at, this.at + 4);
    this.at += 4;
    if (letter !== "u" || !/^00[01][0-9a-f]$/.test(digits)) this.fail("an escape that nobody writes");
    const character = String.fromCharCode(parseInt(digits, 16));
    if (character in ESCAPES) this.fail("an escape that nobody writes");
    return character;
  }

  number() {
    NUMBER.lastIndex = this.at;
    const digits = NUMBER.exec(this.text)?.[0];
    if (digits === undefined || digits === "-0") this.fail("a value is wanted");
    this.at += digits.length;
    const value = Number(digits);
    if (!Number.isSafeInteger(value)) this.fail("a number too large");
    return value;
  }
}

/** Return the one spelling of a value as text; throws `NotCanonical` for what is outside the profile. */
export const spelled = (value) => {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return spelledText(value);
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(",")}]`;
  if (typeof value !== "object") throw new NotCanonical(`${typeof value} has no spelling`);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${spelledText(name)}:${spelled(value[name])}`).join(",")}}`;
};

const spelledText = (text) => {
  const escaped = text.replace(/["\\\u0000-\u001f]/g, (one) =>
    ESCAPES[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escaped}"`;
};

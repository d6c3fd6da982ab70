// Canonical JSON: a one-pass parser that accepts only the canonical text of a value, and one for any text of such a value.

import { isAssigned } from "./unicode14.mjs";

const DEEPEST = 64;
const ESCAPES = { '"': '"', "\\": "\\", b: "\b", t: "\t", n: "\n", f: "\f", r: "\r" };
const NUMBER = /-?(?:0|[1-9][0-9]*)/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const CONTROL = /u00[01][0-9a-f]/y;
const LONE_SURROGATE = /\p{Surrogate}/u;

class NotCanonical extends Error {}

/** Parses a canonical text; undefined if it is not canonical. Objects have no prototype. */
export function parsed(text) {
  try {
    return new Reader(text).whole();
  } catch (error) {
    if (error instanceof NotCanonical) return undefined;
    throw error;
  }
}

/** Parses JSON that every reader understands alike, however it is spelled; undefined if it is not such. */
export function strictly(text) {
  try {
    return new StrictReader(text).whole();
  } catch (error) {
    if (error instanceof NotCanonical) return undefined;
    throw error;
  }
}

/** The canonical text of a value that was parsed from canonical text. */
export function spelled(value) {
  if (Array.isArray(value)) return `[${value.map(spelled).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${spelled(value[name])}`).join(",")}}`;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** Passes over what may stand between two parts of a text: nothing. */
  pass() {}

  whole() {
    const value = this.value(0);
    this.pass();
    if (this.at !== this.text.length) throw new NotCanonical();
    return value;
  }

  value(depth) {
    this.pass();
    switch (this.text[this.at]) {
      case "{":
        return this.object(depth + 1);
      case "[":
        return this.list(depth + 1);
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  object(depth) {
    this.descend(depth);
    const found = Object.create(null);
    let last = null;
    for (let more = !this.took("}"); more; more = this.goesOn("}")) {
      this.pass();
      const name = this.string();
      if (!/^[\u0000-\u007f]*$/.test(name) || !this.mayFollow(name, last, found)) throw new NotCanonical();
      this.demand(":");
      found[name] = this.value(depth);
      last = name;
    }
    return found;
  }

  mayFollow(name, last) {
    return last === null || name > last;
  }

  list(depth) {
    this.descend(depth);
    const found = [];
    for (let more = !this.took("]"); more; more = this.goesOn("]")) found.push(this.value(depth));
    return found;
  }

  descend(depth) {
    if (depth > DEEPEST) throw new NotCanonical();
    this.at += 1;
  }

  /** After a member: true if a comma follows, so that another member must come; false at the end. */
  goesOn(end) {
    if (this.took(end)) return false;
    this.demand(",");
    return true;
  }

  string() {
    this.demand('"');
    let found = "";
    while (true) {
      found += this.match(PLAIN);
      this.at += 1;
      if (this.text[this.at - 1] === '"') break;
      if (this.text[this.at - 1] !== "\\") throw new NotCanonical();
      found += this.escaped();
    }
    if (LONE_SURROGATE.test(found) || !isAssigned(found)) throw new NotCanonical();
    if (found.normalize("NFC") !== found) throw new NotCanonical(); // of assigned ones it is the same everywhere
    return found;
  }

  escaped() {
    const letter = this.text[this.at] ?? "";
    if (Object.hasOwn(ESCAPES, letter)) {
      this.at += 1;
      return ESCAPES[letter];
    }
    const character = String.fromCharCode(parseInt(this.match(CONTROL).slice(1), 16));
    if (Object.values(ESCAPES).includes(character)) throw new NotCanonical();
    return character;
  }

  number() {
    const spelling = this.match(NUMBER);
    const value = Number(spelling);
    if (Object.is(value, -0) || !Number.isSafeInteger(value)) throw new NotCanonical();
    return value;
  }

  word(spelling, value) {
    if (!this.text.startsWith(spelling, this.at)) throw new NotCanonical();
    this.at += spelling.length;
    return value;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) throw new NotCanonical();
    this.at = pattern.lastIndex;
    return found[0];
  }

  took(character) {
    this.pass();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  demand(character) {
    if (!this.took(character)) throw new NotCanonical();
  }
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPED = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
const OTHER_NUMBER = /[.eE0-9]/;

/** Reads the same values with spaces, names in any order, and any escapes. */
class StrictReader extends Reader {
  pass() {
    this.match(SPACE);
  }

  mayFollow(name, last, found) {
    return !Object.hasOwn(found, name);
  }

  escaped() {
    const escape = this.match(ESCAPED);
    if (escape.length > 1) return String.fromCharCode(parseInt(escape.slice(1), 16));
    return ESCAPES[escape] ?? "/";
  }

  number() {
    const value = Number(this.match(NUMBER));
    if (!Number.isSafeInteger(value) || OTHER_NUMBER.test(this.text[this.at] ?? "")) throw new NotCanonical();
    return value === 0 ? 0 : value;
  }
}

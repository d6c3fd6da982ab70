// Parses signed notes of C2SP: checkpoints (tlog-checkpoint), rotations, verifier keys. Parsing verifies no signature.

import { fromBase64, fromHex, isHex, joined, toBase64, toHex, utf8 } from "./bytes.mjs";
import { verifies } from "./ed25519.mjs";
import { sha256 } from "./sha2.mjs";

const MOST_SIGNATURES = 100;
/** The types of keys: one that signs notes, and one that cosigns checkpoints. */
export const LOG = 1;
export const COSIGNER = 4;
const SIZE = /^(0|[1-9][0-9]{0,14})$/;
const NAME = /^[^\p{White_Space}\p{Cs}\u0000-\u001f\u007f+]+$/u;

/** Whether the name is a valid key name. */
export function isName(text) {
  return NAME.test(text);
}

/** Parses a note as `{text, lines, signatures}`, each signature with `name`, `id` and `value`; null if it is not a note. */
function readSigned(note) {
  const end = note.indexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return null;
  const signatures = note.slice(end + 2, -1).split("\n").map(readSignature);
  if (signatures.length > MOST_SIGNATURES || signatures.includes(null)) return null;
  return { text: note.slice(0, end + 1), lines: note.slice(0, end).split("\n"), signatures };
}

function readSignature(line) {
  const [dash, name, value, ...rest] = line.split(" ");
  const bytes = dash === "\u2014" && rest.length === 0 ? fromBase64(value ?? "") : null;
  if (bytes === null || bytes.length < 5 || !NAME.test(name)) return null;
  return { name, id: toHex(bytes.slice(0, 4)), value: bytes.slice(4) };
}

/** Parses a checkpoint as `{origin, size, root, text, signatures}`; null if the note is not one. */
export function readCheckpoint(note) {
  const signed = readSigned(note);
  if (signed === null || signed.lines.length !== 3) return null;
  const [origin, size, root] = signed.lines;
  const bytes = fromBase64(root);
  if (!NAME.test(origin) || !SIZE.test(size) || bytes?.length !== 32) return null;
  return { origin, size: Number(size), root: toHex(bytes), text: signed.text, signatures: signed.signatures };
}

/** Parses a rotation as `{origin, public, text, signatures}`; null if the note is not one. */
export function readRotation(note) {
  const signed = readSigned(note);
  if (signed === null || signed.lines.length !== 3) return null;
  const [origin, format, newer] = signed.lines;
  const bytes = fromBase64(newer);
  if (!NAME.test(origin) || format !== "rewound/key/1" || bytes?.length !== 32) return null;
  return { origin, public: toHex(bytes), text: signed.text, signatures: signed.signatures };
}

/** The eight hexadecimal digits with which a signature line identifies a key. */
function keyId(name, key, type = LOG) {
  return toHex(sha256(joined(utf8(`${name}\n`), Uint8Array.of(type), fromHex(key))).slice(0, 4));
}

/** The verifier key for a name and a public key of 64 digits. */
export function verifierKey(name, key, type = LOG) {
  return `${name}+${keyId(name, key, type)}+${toBase64(joined(Uint8Array.of(type), fromHex(key)))}`;
}

/** Parses a verifier key of a type as `{name, public}`; null if the text is not one. */
export function readVerifierKey(text, type) {
  const [name, , ...value] = text.split("+");
  const bytes = fromBase64(value.join("+"));
  if (bytes?.length !== 33 || !NAME.test(name)) return null;
  const key = toHex(bytes.slice(1));
  return verifierKey(name, key, type) === text ? { name, public: key } : null;
}

/** Parses a public key from 64 digits or a verifier key; null if the text is neither. */
export function readKey(text) {
  if (isHex(text, 64)) return text;
  const [name, , ...value] = text.split("+");
  const bytes = fromBase64(value.join("+"));
  if (bytes?.length !== 33 || !NAME.test(name)) return null;
  const key = toHex(bytes.slice(1));
  return verifierKey(name, key) === text ? key : null;
}

/** Whether a signature line of a note names this key with this name, valid or not. */
export function isNamedIn(note, name, key) {
  return linesOf(note, name, key).length > 0;
}

/** Whether a note has signature lines of this key with this name, and all of them are valid. */
export function isSignedBy(note, name, key) {
  const lines = linesOf(note, name, key);
  const message = utf8(note.text);
  return lines.length > 0 && lines.every(({ value }) => verifies(fromHex(key), message, value));
}

/** When a witness cosigned a note (tlog-cosignature), in seconds since 1970; null if it did not. */
export function cosignedAt(note, name, key) {
  const times = linesOf(note, name, key, COSIGNER).map(({ value }) => timeOf(note, key, value));
  const found = times.filter((time) => time !== null);
  return found.length ? Math.min(...found) : null;
}

function timeOf(note, key, value) {
  if (value.length !== 72) return null;
  const time = value.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0);
  const message = utf8(`cosignature/v1\ntime ${time}\n${note.text}`);
  return time <= Number.MAX_SAFE_INTEGER && verifies(fromHex(key), message, value.subarray(8)) ? time : null;
}

function linesOf(note, name, key, type = LOG) {
  const id = keyId(name, key, type);
  return note.signatures.filter((line) => line.name === name && line.id === id);
}

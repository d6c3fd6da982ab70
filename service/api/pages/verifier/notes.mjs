// Parses signed notes of C2SP: checkpoints (tlog-checkpoint), rotations, verifier keys. Parsing verifies no signature.

import { fromBase64, fromHex, isHex, joined, toBase64, toHex, utf8 } from "./bytes.mjs";
import { verifies } from "./ed25519.mjs";
import { sha256 } from "./sha2.mjs";

const MOST_SIGNATURES = 100;
const ED25519 = Uint8Array.of(1);
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
function keyId(name, key) {
  return toHex(sha256(joined(utf8(`${name}\n`), ED25519, fromHex(key))).slice(0, 4));
}

/** The verifier key for a name and a public key of 64 digits. */
export function verifierKey(name, key) {
  return `${name}+${keyId(name, key)}+${toBase64(joined(ED25519, fromHex(key)))}`;
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

function linesOf(note, name, key) {
  const id = keyId(name, key);
  return note.signatures.filter((line) => line.name === name && line.id === id);
}

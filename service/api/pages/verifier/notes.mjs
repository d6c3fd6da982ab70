// Signed notes of C2SP: checkpoints (tlog-checkpoint), rotations, verifier keys. Nothing read here is believed yet.

import { fromBase64, fromHex, isHex, joined, toBase64, toHex, utf8 } from "./bytes.mjs";
import { verifies } from "./ed25519.mjs";
import { sha256 } from "./sha2.mjs";

const MOST_SIGNATURES = 100;
const ED25519 = Uint8Array.of(1);
const SIZE = /^(0|[1-9][0-9]{0,14})$/;
const NAME = /^[^\p{White_Space}\p{Cs}\u0000-\u001f\u007f+]+$/u;

/** Whether a key may be called so. */
export function isName(text) {
  return NAME.test(text);
}

/** A note as `{text, lines, signatures}`, each signature with `name`, `id` and `value`; null if it is none. */
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

/** A checkpoint as `{origin, size, root, text, signatures}`; null if the note is none. */
export function readCheckpoint(note) {
  const signed = readSigned(note);
  if (signed === null || signed.lines.length !== 3) return null;
  const [origin, size, root] = signed.lines;
  const bytes = fromBase64(root);
  if (!NAME.test(origin) || !SIZE.test(size) || bytes?.length !== 32) return null;
  return { origin, size: Number(size), root: toHex(bytes), text: signed.text, signatures: signed.signatures };
}

/** A rotation as `{origin, public, text, signatures}`; null if the note is none. */
export function readRotation(note) {
  const signed = readSigned(note);
  if (signed === null || signed.lines.length !== 3) return null;
  const [origin, format, newer] = signed.lines;
  const bytes = fromBase64(newer);
  if (!NAME.test(origin) || format !== "rewound/key/1" || bytes?.length !== 32) return null;
  return { origin, public: toHex(bytes), text: signed.text, signatures: signed.signatures };
}

/** The eight digits by which a signature line names a key. */
function keyId(name, key) {
  return toHex(sha256(joined(utf8(`${name}\n`), ED25519, fromHex(key))).slice(0, 4));
}

/** The verifier key of a name and a public key, which is told as 64 digits here as everywhere. */
export function verifierKey(name, key) {
  return `${name}+${keyId(name, key)}+${toBase64(joined(ED25519, fromHex(key)))}`;
}

/** The public key that 64 digits or a verifier key tell; null if the text tells none. */
export function readKey(text) {
  if (isHex(text, 64)) return text;
  const [name, , ...value] = text.split("+");
  const bytes = fromBase64(value.join("+"));
  if (bytes?.length !== 33 || !NAME.test(name)) return null;
  const key = toHex(bytes.slice(1));
  return verifierKey(name, key) === text ? key : null;
}

/** Whether a signature line of a note names this key under this name, true or not. */
export function isNamedIn(note, name, key) {
  return linesOf(note, name, key).length > 0;
}

/** Whether a note has signature lines of this key under this name, and every one of them is true. */
export function isSignedBy(note, name, key) {
  const lines = linesOf(note, name, key);
  const message = utf8(note.text);
  return lines.length > 0 && lines.every(({ value }) => verifies(fromHex(key), message, value));
}

function linesOf(note, name, key) {
  const id = keyId(name, key);
  return note.signatures.filter((line) => line.name === name && line.id === id);
}

// Read signed notes of C2SP: checkpoints, rotations of keys, verifier keys. Nothing read here is believed yet.

import { base64, hex, joined, number, same, unbase64, utf8 } from "./bytes.mjs";
import { isSigned } from "./ed25519.mjs";
import { sha256 } from "./sha256.mjs";

const DASH = "\u2014 ";
const MOST_SIGNATURES = 100;
const ROTATION = "rewound/key/1";
const ED25519 = number(1, 1);
const SIZE = /^(?:0|[1-9][0-9]{0,14})$/;

/** Tell whether a key may be called so: no space, plus, control character or lone surrogate, and not empty. */
const isName = (text) => /^[^\s+\u0000-\u001f\u007f\u0085\ud800-\udfff]+$/u.test(text);

/** Return a note as `{text, signatures: [{name, id, value}]}`, null where it is none. */
export const parsedNote = (note) => {
  const gap = note.indexOf("\n\n");
  const tail = gap < 0 ? "" : note.slice(gap + 2);
  if (!tail.endsWith("\n")) return null;
  const signatures = tail.slice(0, -1).split("\n").map(signatureOf);
  const isGood = signatures.length <= MOST_SIGNATURES && signatures.every((line) => line !== null);
  return isGood ? { text: note.slice(0, gap + 1), signatures } : null;
};

const signatureOf = (line) => {
  if (!line.startsWith(DASH)) return null;
  const rest = line.slice(DASH.length);
  const space = rest.indexOf(" ");
  const name = rest.slice(0, space);
  const raw = space < 0 ? null : unbase64(rest.slice(space + 1));
  if (raw === null || raw.length <= 4 || !isName(name)) return null;
  return { name, id: raw.subarray(0, 4), value: raw.subarray(4) };
};

/** Return a note as a checkpoint `{origin, size, root, text, signatures}`, null where it is none. */
export const parsedCheckpoint = (note) => {
  const read = parsedNote(note);
  const lines = read === null ? [] : read.text.slice(0, -1).split("\n");
  if (lines.length !== 3 || !isName(lines[0]) || !SIZE.test(lines[1])) return null;
  const root = unbase64(lines[2]);
  if (root === null || root.length !== 32) return null;
  return { origin: lines[0], size: Number(lines[1]), root: hex(root), ...read };
};

/** Return the four bytes by which a signature line names a key. */
export const keyId = (name, key) => sha256(utf8(`${name}\n`), ED25519, key).subarray(0, 4);

/** Return the verifier key's line of a name and 32 public bytes. */
export const verifierKey = (name, key) => `${name}+${hex(keyId(name, key))}+${base64(joined(ED25519, key))}`;

/** Return the public bytes of a verifier key's line, null where it is none. */
export const readVerifierKey = (line) => {
  const [name, , ...rest] = line.split("+");
  const raw = unbase64(rest.join("+"));
  if (raw === null || raw.length !== 33 || !isName(name)) return null;
  const key = raw.subarray(1);
  return verifierKey(name, key) === line ? key : null;
};

/** Return the signature lines of a read note that name this key. */
export const linesOf = (note, name, key) => {
  const id = keyId(name, key);
  return note.signatures.filter((line) => line.name === name && same(line.id, id));
};

/** Tell whether a key has signed a read note, and every line that names it is true. */
export const hasSigned = async (note, name, key) => {
  const lines = linesOf(note, name, key);
  if (lines.length === 0) return false;
  const message = utf8(note.text);
  for (const line of lines) if (!(await isSigned(message, line.value, key))) return false;
  return true;
};

/** Return the public bytes that an older key names in a rotation, null where it names none. */
export const namedIn = async (rotation, origin, older) => {
  const note = parsedNote(rotation);
  if (note === null || !isName(origin) || !(await hasSigned(note, origin, older))) return null;
  const lines = note.text.slice(0, -1).split("\n");
  if (lines.length !== 3 || lines[0] !== origin || lines[1] !== ROTATION) return null;
  const key = unbase64(lines[2]);
  return key !== null && key.length === 32 ? key : null;
};

// The keys of a bundle: which one signed a checkpoint, which are accepted, and which precede an accepted one.

import { isNamedIn, isSignedBy, verifierKey } from "./notes.mjs";

export class Keyring {
  /**
   * @param lineAt by a number of commits, the line of play that the last of them names
   * @param keys the `key` lines, in their order
   * @param given public keys that are believed from outside; none: those of the bundle are
   */
  constructor(lineAt, keys, given) {
    this.lineAt = lineAt;
    this.keys = keys;
    this.given = given;
  }

  /** The name with which a key signs the checkpoint of so many commits. */
  nameOf({ name }, size) {
    return `${name}/${this.lineAt(size)}`;
  }

  /** The first key that a signature line of a checkpoint names; undefined if there is none. */
  namedIn(note) {
    return this.keys.find((each) => isNamedIn(note, this.nameOf(each, note.size), each.public));
  }

  /** Why a checkpoint is not signed by the key that it names; null if it is. */
  faultOf(note, key) {
    const name = this.nameOf(key, note.size);
    if (name !== note.origin) return `the note is of ${note.origin}, the key is of ${name}`;
    const [, id] = verifierKey(name, key.public).split("+");
    return isSignedBy(note, name, key.public) ? null : `the signature of ${name}+${id} is false`;
  }

  /** Whether a key is given, or a given key rotates to it. */
  isBelieved(key) {
    return this.given.length === 0 || this.#heirs(key.name, this.given).has(key.public);
  }

  /** All public keys that are accepted. */
  accepted() {
    const vouched = this.keys.filter((key) => this.isBelieved(key)).map((key) => key.public);
    return [...new Set([...this.given, ...vouched])];
  }

  /** The origin with which the bundle names a public key; undefined if it does not name it. */
  originOf(publicKey) {
    return this.keys.find((key) => key.public === publicKey)?.name;
  }

  /** Whether a key rotates to a given one. */
  isOlder(key) {
    const heirs = this.#heirs(key.name, [key.public]);
    return this.given.some((each) => heirs.has(each));
  }

  /** The given keys and all keys that they rotate to under this name. */
  #heirs(name, start) {
    const found = new Set(start);
    const notes = this.keys.filter((key) => key.name === name && key.rotation?.origin === name).map(({ rotation }) => rotation);
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const note of notes) if ([...found].some((older) => isSignedBy(note, name, older))) found.add(note.public);
    }
    return found;
  }
}

// Whose signatures count: which key signed a checkpoint, which keys are believed, and which are older than those.

import { isNamedIn, isSignedBy } from "./notes.mjs";

export class Keyring {
  /**
   * @param keys the `key` lines, in their order
   * @param given public keys that are believed from outside; none: those of the bundle are
   */
  constructor(encounter, keys, given) {
    this.encounter = encounter;
    this.keys = keys;
    this.given = given;
  }

  /** The name under which a key signs checkpoints of this encounter. */
  nameOf({ name }) {
    return `${name}/${this.encounter}`;
  }

  /** The key of a checkpoint: the first that one of its signature lines names; null if none, or if the signature is false. */
  signerOf(note) {
    const key = this.keys.find((each) => isNamedIn(note, this.nameOf(each), each.public));
    const isTrue = key !== undefined && this.nameOf(key) === note.origin && isSignedBy(note, note.origin, key.public);
    return isTrue ? key : null;
  }

  /** Whether a key is given, or one that is given hands on to it. */
  isBelieved(key) {
    return this.given.length === 0 || this.#heirs(key.name, this.given).has(key.public);
  }

  /** All public keys that are accepted. */
  accepted() {
    const told = this.keys.filter((key) => this.isBelieved(key)).map((key) => key.public);
    return [...new Set([...this.given, ...told])];
  }

  /** The origin under which the bundle names a public key; undefined where it does not. */
  originOf(publicKey) {
    return this.keys.find((key) => key.public === publicKey)?.name;
  }

  /** Whether a key hands on to one that is given. */
  isOlder(key) {
    const heirs = this.#heirs(key.name, [key.public]);
    return this.given.some((each) => heirs.has(each));
  }

  /** Some keys and all that follow from them by rotations of this name. */
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

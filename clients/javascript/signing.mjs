// Sign commands with a key of the seat, so that nobody, the service included, speaks in its name.
//
// A signature covers the command, its idempotency key, and the newest commit that the seat has seen: the service
// cannot take the command into another history. Browsers sign only on pages that come over https or from localhost.

import { canonical, fromHex, joined, toHex, utf8 } from "./bytes.mjs";

const LABEL = "rewound/request/1\0";
const ED25519 = { name: "Ed25519" };
/** What PKCS #8 puts before the 32 bytes of a secret key (RFC 8410). */
const PKCS8 = fromHex("302e020100300506032b657004220420");

/** The seat has another key than the given one; the gm can replace it. */
export class OtherKey extends Error {
  constructor(seat, key) {
    super(`${seat} has another key: ${key}`);
    this.name = "OtherKey";
  }
}

/** The secret key of a seat (Ed25519). Anyone who has it speaks for the seat, so keep it to yourself. */
export class SeatKey {
  #key;

  constructor(secret, publicKey, key) {
    /** 64 hexadecimal digits; store them to sign with the same key later. */
    this.secret = secret;
    /** The public key, as the service takes it: 64 hexadecimal digits. */
    this.public = publicKey;
    this.#key = key;
  }

  /** Return the key with this secret. @param {string} secret 64 hexadecimal digits @returns {Promise<SeatKey>} */
  static async of(secret) {
    if (!/^[0-9a-f]{64}$/.test(secret)) throw new TypeError("a secret key is 64 hexadecimal digits");
    const key = await crypto.subtle.importKey("pkcs8", joined(PKCS8, fromHex(secret)), ED25519, true, ["sign"]);
    const { x } = await crypto.subtle.exportKey("jwk", key);
    const open = atob(x.replaceAll("-", "+").replaceAll("_", "/"));
    return new SeatKey(secret, toHex(Array.from(open, (letter) => letter.charCodeAt(0))), key);
  }

  /** Return a new key. */
  static make() {
    return SeatKey.of(toHex(crypto.getRandomValues(new Uint8Array(32))));
  }

  /**
   * Return the key in a storage; if it has none, make a key and store it there.
   * @param {{getItem: (name: string) => any, setItem: (name: string, value: string) => any}} storage such as `localStorage`
   * @param {string} name
   */
  static async keptIn(storage, name) {
    const kept = await storage.getItem(name);
    if (kept !== null && kept !== undefined) return SeatKey.of(kept.trim());
    const made = await SeatKey.make();
    await storage.setItem(name, made.secret);
    return made;
  }

  /** Return the signature of a message, as 128 hexadecimal digits. @param {Uint8Array<ArrayBuffer>} message */
  async sign(message) {
    return toHex(new Uint8Array(await crypto.subtle.sign(ED25519, this.#key, message)));
  }
}

/** Signs the commands of one seat, together with the newest commit that it has seen. */
export class Signer {
  /** @param {string} seat @param {SeatKey} key */
  constructor(seat, key) {
    this.seat = seat;
    this.key = key;
    /** @type {{line: string, n: number, hash: string} | null} */
    this.head = null;
  }

  /** Remember a commit of a line of play, unless a later one of the same line has been seen. */
  see(line, n, hash) {
    if (this.head === null || this.head.line !== line || this.head.n < n) this.head = { line, n, hash };
  }

  /** Remember the last commit of the outcomes in an answer, which are of the line that was signed. */
  seeOutcomes(answer) {
    for (const { n, hash } of answer?.outcomes ?? [answer ?? {}]) if (this.head !== null && n && hash) this.see(this.head.line, n, hash);
  }

  /** Return the value of `Rewound-Signature` for commands that are sent with an idempotency key. */
  async signature(commands, key) {
    const { line, n, hash } = this.head;
    const values = await Promise.all(commands.map((command, index) => {
      const { type, ...data } = JSON.parse(JSON.stringify(command)); // as it is sent: without undefined members
      const said = { encounter: line, seat: this.seat, type, data, key, index, head: { n, hash } };
      return this.key.sign(utf8(LABEL + canonical(said)));
    }));
    return `${n}:${hash} ${values.join(" ")}`;
  }
}

/** Return the command that answers a contest, as the service makes it of a ruling. */
export const rulingCommand = (contest, { ending, decision, reason = "", instead = [], ...effects }) => {
  const answer = { contest, decision, reason };
  if (ending === "effects") return { type: "gm_ruling", ...answer, ...effects };
  if (ending !== "as_ruled") return { type: "uphold", ...answer };
  return { type: "amend", ...answer, instead: instead.map(({ type, by = "sender", ...data }) => ({ type, data, by })) };
};

// Sign my commands: a key of this seat, kept in this browser, without which nobody speaks for the seat.

import { SeatKey, Signer } from "../client/signing.mjs";
import { button, faultText, html, show } from "../shared/dom.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */

const FEW = 16; // digits of a key that people compare

/** The control for a seat's key, in an element of the page. */
export class Signing {
  /**
   * @param {HTMLElement} place @param {import("../client/rewound.mjs").Encounter} encounter
   * @param {string} seat @param {string | null} set the public key that the seat has
   */
  constructor(place, encounter, seat, set) {
    this.encounter = /** @type {import("../client/rewound.mjs").Encounter & {signer: Signer | null}} */ (encounter);
    this.seat = seat;
    this.set = set;
    this.said = html("p", { class: "small", role: "status" });
    this.body = html("div");
    show(place, html("details", { class: "signing" }, html("summary", {}, "Sign my commands"), this.body, this.said));
    /** Is done when a kept key signs. @type {Promise<void>} */
    this.ready = this.#begin();
  }

  get #name() {
    return `seat key ${this.encounter.id} ${this.seat}`;
  }

  /** Sign from the first command on, if this browser has the key that the seat has. */
  async #begin() {
    try {
      const kept = localStorage.getItem(this.#name);
      if (kept !== null && this.set !== null) await this.#take(kept);
    } catch { /* a key that is not the seat's any more, or a frame without storage: the control says what it can */ }
    this.#draw();
  }

  #draw() {
    const { signer } = this.encounter;
    if (signer !== null) {
      show(this.body, html("p", { class: "small" }, "Every command of this seat is signed by the key ", html("code", { title: signer.key.public }, `${signer.key.public.slice(0, FEW)}…`),
        " with the newest commit that this page has seen. The key is kept in this browser. Without it this seat cannot act, so keep a copy."),
      button("Download the key", () => this.#download(signer.key)));
      return;
    }
    if (!crypto.subtle) { // a browser signs over TLS and on this computer alone
      show(this.body, html("p", { class: "small" }, "Signing needs an address with TLS (https), or this computer itself. At this address the browser has no keys; playing works without them."));
      return;
    }
    const file = html("input", { type: "file", id: "seat-key", onchange: () => this.#try(async () => this.#take((await file.files[0].text()).trim())) });
    const use = html("div", { class: "row" }, html("label", { for: "seat-key" }, "The file with its key"), file);
    if (this.set === null) {
      show(this.body, html("p", { class: "small" }, "Nobody, the host included, can invent or change a command that you sign. The page makes a key and keeps it in this browser; everybody sees that the seat has one."),
        button("Make a key and sign", () => this.#try(async () => {
          const made = await SeatKey.keptIn(localStorage, this.#name);
          await this.encounter.send({ type: "set_seat_key", seat: this.seat, key: made.public });
          this.set = made.public;
          await this.#take(made.secret);
        })));
    } else show(this.body, html("p", { class: "small" }, `This seat has the key ${this.set.slice(0, FEW)}…, and this browser does not have it. If it is lost, the gm can remove it.`), use);
  }

  /** Sign with a secret key, if it is that of the seat. @param {string} secret */
  async #take(secret) {
    const key = await SeatKey.of(secret);
    if (key.public !== this.set) throw new Error("That is not the key of this seat.");
    localStorage.setItem(this.#name, secret);
    this.encounter.signer = new Signer(this.seat, key);
  }

  /** @param {SeatKey} key */
  #download(key) {
    const address = URL.createObjectURL(new Blob([`${key.secret}\n`], { type: "text/plain" }));
    html("a", { href: address, download: `${this.seat}.key` }).click();
    URL.revokeObjectURL(address);
  }

  /** Do what a click asks, and say what went wrong. @param {() => Promise<unknown>} act */
  async #try(act) {
    this.said.className = "small";
    this.said.textContent = "";
    try {
      await act();
    } catch (fault) {
      this.said.className = "small fault";
      this.said.textContent = faultText(fault);
    }
    this.#draw();
  }
}

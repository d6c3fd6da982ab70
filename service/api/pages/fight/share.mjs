// Share: give a seat to somebody by a link, for as long as one likes, and take it back.

import { button, html, show } from "../shared/dom.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */

const LASTS = [["a day", 86400], ["a week", 604800], ["an hour", 3600], ["a year", 31536000]];

/** The panel for sharing, in an element of the page. */
export class Share {
  /** @param {HTMLElement} place @param {import("../client/rewound.mjs").Encounter} encounter */
  constructor(place, encounter) {
    this.encounter = encounter;
    this.seats = html("div");
    this.lasts = html("select", { id: "lasts" }, LASTS.map(([text, value]) => html("option", { value }, text)));
    this.said = html("div", { role: "status" });
    show(place, html("p", {}, "A link shows this fight as one of its seats sees it. It works without typing anything, and ends by itself. Everybody can see in the record that a seat was opened."),
      html("div", { class: "row" }, html("label", { for: "lasts" }, "It lasts"), this.lasts,
        button("Link for an observer", () => this.#try(() => this.#observer()), { class: "main observer" })),
      this.said, html("h3", {}, "Seats"), this.seats);
  }

  /** Read the seats again. */
  async refresh() {
    const seats = (await this.encounter.seats()).filter((each) => !each.closed && each.seat !== "gm");
    show(this.seats, seats.length ? seats.map((each) => this.#seat(each)) : html("p", { class: "soft" }, "Nobody has a seat yet."));
  }

  #seat({ seat, role, creatures, tokens, key }) {
    return html("article", { class: "card share", "data-seat": seat }, html("h3", {}, seat, " ", html("span", { class: "chip" }, role)),
      creatures.length ? html("p", { class: "soft small" }, creatures.join(", ")) : null,
      html("div", { class: "row" },
        button("Link", () => this.#try(async () => {
          if (!tokens) await this.encounter.token(seat);
          await this.#link(seat);
        })),
        button("End its links", () => this.#try(async () => {
          await this.encounter.token(seat);
          show(this.said, html("p", {}, `Every link and token of ${seat} has ended.`));
        }), { title: "Issues a new token, which ends the earlier one and its links" }),
        button("Close the seat", () => this.#try(async () => {
          await this.encounter.closeSeat(seat);
          show(this.said, html("p", {}, `The seat ${seat} is closed.`));
        })),
        key && button("Remove its key", () => this.#try(async () => {
          await this.encounter.replaceSeatKey(seat, null);
          show(this.said, html("p", {}, `${seat} has no key any more, and may make another one.`));
        }), { title: "For a seat that has lost the key with which it signs its commands" })));
  }

  async #observer() {
    const taken = new Set((await this.encounter.seats()).map((each) => each.seat));
    let number = 1;
    while (taken.has(`guest-${number}`)) number += 1;
    await this.encounter.openSeat({ seat: `guest-${number}`, role: "observer", creatures: [] });
    await this.#link(`guest-${number}`);
  }

  async #link(seat) {
    const { page, expires } = await this.encounter.shareSeat(seat, { expires_in_s: Number(this.lasts.value) });
    const address = `${location.origin}${page}`;
    const field = html("input", { readonly: true, value: address, "aria-label": `Link for ${seat}`, onfocus: () => field.select() });
    const frame = html("input", { readonly: true, value: `<iframe src="${address}" width="800" height="600" title="A fight"></iframe>`, "aria-label": `Frame for ${seat}`, onfocus: () => frame.select() });
    show(this.said, html("div", { class: "card share" }, html("h3", {}, `Link for ${seat}`), field,
      html("p", { class: "soft small" }, `It ends ${new Date(expires).toLocaleString()}. Who has it sees what ${seat} sees.`),
      html("div", { class: "row" }, button("Copy", () => navigator.clipboard.writeText(address)), html("a", { href: address, target: "_blank", rel: "noopener" }, "Open it")),
      html("details", {}, html("summary", {}, "Show it in another page"), frame)));
  }

  async #try(act) {
    try {
      await act();
      await this.refresh();
    } catch (fault) {
      show(this.said, html("p", { class: "fault" }, fault.detail ?? fault.message));
    }
  }
}

// Share: seat a player, give a seat to somebody by a link, for as long as one likes, and take it back.

import { confirmed } from "../shared/ask.mjs";
import { idOf } from "../shared/creature_form.mjs";
import { button, capital, faultText, html, patch } from "../shared/dom.mjs";
import { drawLink, drawReach, qrOf } from "../shared/links.mjs";

/** @typedef {import("../client/contract.mjs").Seat} Seat */
/** @typedef {Parameters<typeof drawLink>[0]} Link */

/** @type {[string, number][]} how long a link lasts, in seconds */
const LASTS = [["a day", 86400], ["a week", 604800], ["an hour", 3600], ["a year", 31536000]];

/** The panel for sharing, in an element of the page. */
export class Share {
  /** @param {HTMLElement} place @param {import("../client/rewound.mjs").Encounter} encounter @param {() => import("./record.mjs").Tokens} tokens */
  constructor(place, encounter, tokens) {
    this.place = place;
    this.encounter = encounter;
    this.tokens = tokens;
    /** @type {Seat[]} */
    this.seats = [];
    this.lasts = LASTS[0][1];
    this.player = { name: "", creatures: /** @type {string[]} */ ([]) };
    /** @type {Link | null} the link that is shown */
    this.link = null;
    this.said = { text: "", isFault: false };
    this.#render();
  }

  /** Read the seats again. */
  async refresh() {
    this.seats = (await this.encounter.seats()).filter((each) => !each.closed && each.seat !== "gm");
    this.#render();
  }

  #render() {
    const { player, link } = this;
    const creatures = [...this.tokens().values()];
    const held = new Set(this.seats.flatMap((each) => each.creatures));
    patch(this.place, html("p", { key: "intro" }, "A link opens this fight for one of its seats, without typing anything, and ends by itself. Everybody can see in the record that a seat was opened."), drawReach(),
      html("div", { class: "row", key: "lasts" }, html("label", { for: "lasts" }, "It lasts"),
        html("select", { id: "lasts", onchange: (event) => { this.lasts = Number(event.target.value); this.#render(); } }, LASTS.map(([text, value]) => html("option", { key: value, value, selected: value === this.lasts }, text))),
        button("Link for an observer", () => this.#try(() => this.#observer()), { class: "observer" })),
      html("p", { class: this.said.isFault ? "fault" : "small", role: "status", key: "said" }, this.said.text),
      link && drawLink(link, (said) => { this.link = { ...link, said }; this.#render(); }),
      link && html("details", { key: "frame" }, html("summary", {}, "Show it in another page"), html("input", { readonly: true, value: `<iframe src="${link.address}" width="800" height="600" title="A fight"></iframe>`, "aria-label": "Frame", onfocus: (event) => event.target.select() })),
      html("form", { class: "card seat-player", key: "player", onsubmit: (event) => { event.preventDefault(); this.#try(() => this.#seatPlayer()); } }, html("h3", {}, "Seat a player"),
        html("div", { class: "field" }, html("label", { for: "player-name" }, "Name"), html("input", { id: "player-name", required: true, maxlength: 24, autocomplete: "off", value: player.name, oninput: (event) => { this.player = { ...this.player, name: event.target.value }; } })),
        html("div", { class: "field" }, html("span", { class: "label" }, "Plays"), html("div", { class: "row wrap" }, creatures.map(({ id, name }) => html("label", { class: "tick-box", key: id },
          html("input", { type: "checkbox", checked: player.creatures.includes(id), disabled: held.has(id), onchange: (event) => { this.player = { ...this.player, creatures: event.target.checked ? [...this.player.creatures, id] : this.player.creatures.filter((each) => each !== id) }; } }),
          html("span", {}, name, held.has(id) && html("small", { class: "soft" }, " taken")))))),
        html("div", { class: "row" }, html("button", { type: "submit", class: "main" }, "Seat and make a link"))),
      html("h3", { key: "seats" }, "Seats"), this.seats.length ? this.seats.map((each) => this.#seat(each)) : html("p", { class: "soft", key: "none" }, "Nobody has a seat yet."));
  }

  /** @param {Seat} seat */
  #seat({ seat, role, creatures, tokens, key }) {
    const names = creatures.map((id) => this.tokens().get(id)?.name ?? id).join(", ");
    return html("article", { class: "card share", key: seat, "data-seat": seat }, html("h3", {}, seat, " ", html("span", { class: "chip" }, role)),
      names ? html("p", { class: "soft small" }, `Plays ${names}`) : null,
      html("div", { class: "row" },
        button("Link", () => this.#try(async () => {
          if (!tokens) await this.encounter.token(seat);
          await this.#show(seat, role, names);
        })),
        button("End its links", () => this.#after("End the links?", `Whoever has a link or the token of ${seat} loses the fight at once, until they get another link.`, "End them", async () => {
          await this.encounter.token(seat);
          this.#tell(`Every link and token of ${seat} has ended.`);
        }), { title: "Issues a new token, which ends the earlier one and its links" }),
        button("Close the seat", () => this.#after("Close the seat?", `${capital(seat)} cannot act or look any more${names ? `, and others play ${names}: the gm, or a player of the same group where the book has it so` : ""}. No undo restores it; a new seat with another name can take the creatures.`, "Close it", async () => {
          await this.encounter.closeSeat(seat);
          this.#tell(`The seat ${seat} is closed.`);
        })),
        key && button("Remove its key", () => this.#after("Remove the key?", `Commands of ${seat} are not signed from then on, until it makes another key.`, "Remove it", async () => {
          await this.encounter.replaceSeatKey(seat, null);
          this.#tell(`${seat} has no key any more, and may make another one.`);
        }), { title: "For a seat that has lost the key with which it signs its commands" })));
  }

  /** @param {string} title @param {string} text @param {string} yes @param {() => Promise<void>} act */
  async #after(title, text, yes, act) {
    if (await confirmed(title, text, yes)) await this.#try(act);
  }

  /** @param {string} text */
  #tell(text, isFault = false) {
    this.said = { text, isFault };
  }

  async #observer() {
    const taken = new Set((await this.encounter.seats()).map((each) => each.seat));
    let number = 1;
    while (taken.has(`guest-${number}`)) number += 1;
    await this.encounter.openSeat({ seat: `guest-${number}`, role: "observer", creatures: [] });
    await this.#show(`guest-${number}`, "observer", "");
  }

  /** Seat a player, from whoever has the creatures until now. */
  async #seatPlayer() {
    const { name, creatures } = this.player;
    const seat = idOf(name, (await this.encounter.seats()).map((each) => each.seat));
    await this.encounter.openSeat({ seat, role: "player", creatures });
    this.player = { name: "", creatures: [] };
    await this.#show(seat, "player", creatures.map((id) => this.tokens().get(id)?.name ?? id).join(", "));
  }

  /** Show a new link. @param {string} seat @param {string} role @param {string} names */
  async #show(seat, role, names) {
    const { page, expires } = await this.encounter.shareSeat(seat, { expires_in_s: this.lasts });
    const address = `${location.origin}${page}`;
    const does = role === "player" ? `sees what ${seat} sees, and plays ${names || "for it"}` : `sees what ${seat} sees`;
    this.link = { address, label: `Link for ${seat}`, note: `Who has it ${does}. It ends ${new Date(expires).toLocaleString()}.`, qr: await qrOf(this.encounter.client, address) };
    this.#tell("");
  }

  /** Do what a click asks, and say what went wrong. @param {() => Promise<unknown>} act */
  async #try(act) {
    try {
      await act();
    } catch (fault) {
      this.#tell(capital(faultText(fault)), true);
    }
    await this.refresh();
  }
}

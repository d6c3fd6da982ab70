// Show a link to somebody: as an address to copy, and as a QR code for a phone.

import { copied } from "./ask.mjs";
import { button, html, svg } from "./dom.mjs";

/** Return whether an address leads nowhere but to this computer. @param {string} origin */
export const isOnlyHere = (origin) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(origin);

const LOCAL = "Links from here work on this computer alone, because this page is open at an address of it. For phones in your network start the service with --host 0.0.0.0, open this page at the address that it prints, and make the links there.";

/** Draw, before anybody makes a link, that links made here do not reach a phone; null where they do. */
export const drawReach = () => isOnlyHere(location.origin) && html("p", { class: "reach small", role: "note", key: "reach" }, LOCAL);

/** Return a QR code of a text; null if the service makes none. @param {import("../client/rewound.mjs").Client} client @param {string} text */
export const qrOf = async (client, text) => {
  const made = await client.qrCode(text).catch(() => null);
  return made && { size: made.size, path: made.path };
};

/**
 * Draw a link.
 * @param {{address: string, label: string, note: string, qr: {size: number, path: string} | null, said?: string}} link @param {(said: string) => void} told
 */
export const drawLink = ({ address, label, note, qr, said }, told) => html("div", { class: "card share link", key: address },
  html("h3", {}, label),
  html("input", { readonly: true, value: address, "aria-label": label, onfocus: (/** @type {any} */ event) => event.target.select() }),
  html("p", { class: "soft small" }, note),
  html("div", { class: "row" }, button("Copy", async (event) => told(await copied(address, /** @type {any} */ (event.currentTarget).closest(".link").querySelector("input")))),
    html("a", { href: address, target: "_blank", rel: "noopener" }, "Open it"), html("span", { class: "small", role: "status" }, said ?? "")),
  qr && svg("svg", { class: "qr", viewBox: `0 0 ${qr.size} ${qr.size}`, role: "img", "aria-label": "The same as a QR code" },
    svg("rect", { class: "qr-white", width: qr.size, height: qr.size }), svg("path", { class: "qr-black", d: qr.path })));

// Keep the key or seat token of this tab: typed once, or brought by an address after `#key=`.
//
// A fragment is not sent to a server, so no log has it; it is also taken out of the address at once.

import { AGAIN } from "../client/requests.mjs";
import { Client, Problem, Unreachable } from "../client/rewound.mjs";
import { button, html, show } from "./dom.mjs";

const NAME = "rewound.key";
const TOKEN = /^r[sl]_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([a-z0-9][a-z0-9-]*)(?:_\d+_\d+)?_[\w-]{43}$/;
const SHARED = "/s";

/** Return the parts of the address's fragment, as in `#n=17&line=…`. @returns {URLSearchParams} */
export const fragment = () => new URLSearchParams(location.hash.slice(1));

/** Replace the fragment without a new entry in the history. @param {URLSearchParams} parts */
export const replaceFragment = (parts) => {
  const text = parts.toString();
  history.replaceState(null, "", `${location.pathname}${location.search}${text ? `#${text}` : ""}`);
};

/**
 * Return the key of this tab, or null; one that the address brings replaces it.
 *
 * A shared fight uses the token in its address alone, and nothing that this tab holds: it may be in a frame of any page.
 * @returns {string | null}
 */
export const heldKey = () => {
  const parts = fragment();
  if (location.pathname === SHARED) return [...parts.keys()].find((name) => TOKEN.test(name)) ?? null;
  const brought = parts.get("key");
  if (brought !== null) {
    keep(brought);
    parts.delete("key");
    replaceFragment(parts);
  }
  try {
    return brought ?? sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME);
  } catch {
    return brought; // a frame of another site may have no storage
  }
};

/** Return whether this browser remembers the key after the tab is closed. */
export const isRemembered = () => {
  try {
    return localStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
};

/** Keep a key for this tab, or forget it. @param {string | null} key @param {boolean} [isForLong] remember it in this browser, until it is forgotten */
export const keep = (key, isForLong = false) => {
  try {
    if (key === null) for (const place of [sessionStorage, localStorage]) place.removeItem(NAME);
    else sessionStorage.setItem(NAME, key);
    if (key !== null && isForLong) localStorage.setItem(NAME, key);
  } catch { /* a frame of another site may have no storage: the key lasts as long as the page */ }
};

/** Return a client of the service that served this page. @param {string} [key] */
export const client = (key) => new Client(location.origin, key, { tries: 4 });

/** Return whether a request failed because the service did not answer, or not yet. @param {unknown} fault */
export const isAway = (fault) => fault instanceof Unreachable || (fault instanceof Problem && AGAIN.has(fault.status));

/** Return the encounter and the seat of a seat's token or of a share link; null for an API key. @param {string} key */
export const seatOf = (key) => {
  const found = TOKEN.exec(key);
  return found && { encounter: found.slice(1, 6).join("-"), seat: found[6] };
};

/**
 * Ask for a key in *place*.
 * @param {Element} place @param {(key: string) => void} use @param {string} [fault] why the last one was not accepted
 */
export const askForKey = (place, use, fault = "") => {
  const field = html("input", {
    id: "key", name: "key", type: "password", required: true, autocomplete: "off", spellcheck: "false",
    "aria-describedby": "key-fault", placeholder: "rw_… or rs_…",
  });
  const remembered = html("input", { type: "checkbox", id: "remember" });
  const form = html("form", { class: "card ask" },
    html("label", { for: "key" }, "API key or seat token"),
    html("p", { class: "soft" }, "It is sent to this service alone, and is forgotten when you close this tab. ",
      html("code", {}, "rewound keys create NAME"), " makes an API key; the gm gives out the tokens of seats."),
    html("div", { class: "row" }, field, button("Open", () => {}, { type: "submit", class: "main" })),
    html("label", { class: "row small" }, remembered, "Stay signed in on this device, until I click “Forget the key”. Leave it empty on a computer that others use."),
    html("p", { id: "key-fault", class: "fault", role: "alert" }, fault));
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const key = field.value.trim();
    keep(key, remembered.checked);
    use(key);
  });
  const isTitled = [...document.querySelectorAll("h1")].some((each) => !place.contains(each));
  show(place, isTitled ? null : html("h1", { class: "visually-hidden" }, "Your key"), form);
  field.focus();
};

// Home: the encounters that the key or the token may see.

import { confirmed } from "../shared/ask.mjs";
import { at, button, faultText, html, show } from "../shared/dom.mjs";
import { drawLink, drawReach, qrOf } from "../shared/links.mjs";
import { askForKey, client, fragment, heldKey, isRemembered, keep, replaceFragment, seatOf } from "../shared/session.mjs";

/** @typedef {import("../client/contract.mjs").Encounters["encounters"][number]} Listed */
/** @typedef {import("../client/contract.mjs").Library["entries"][number]} Sample */

const PAGE = 30;
const FEW = 3; // fights below which samples are offered

/** Return in a few words whose turn it is, or how it ended. @param {Listed} encounter */
const turn = ({ winner, waiting, status }) => {
  if (winner !== null) return `${winner} won`;
  if (status !== "open") return status === "over" ? "nobody won" : "";
  const blocking = waiting.filter((each) => !each.optional);
  const asked = blocking.length ? blocking : waiting;
  if (!asked.length) return "nobody is asked";
  const named = asked.map(({ seat, creatures }) => (creatures.length ? `${creatures.join(", ")} (${seat ?? "a group"})` : seat ?? "a group"));
  return `${blocking.length ? "waits for" : "may act:"} ${[...new Set(named)].join(", ")}`;
};

/** @param {Listed} encounter */
const item = (encounter) => html("li", {}, html("a", { href: `/encounters/${encounter.encounter}` },
  html("b", {}, encounter.title || "Without a title"),
  html("span", { class: `chip ${encounter.status}` }, encounter.status),
  html("span", { class: "turn" }, [encounter.edition, encounter.round ? `round ${encounter.round}` : null, turn(encounter)].filter(Boolean).join(" · ")),
  html("time", { datetime: encounter.opened }, new Date(encounter.opened).toLocaleString())));

/** Take the bundle that the page which opened this one gives. @param {(file: File) => void} take */
const receive = (take) => {
  addEventListener("message", ({ origin, source, data }) => {
    if (origin === location.origin && source === opener && data instanceof File) take(data);
  });
  replaceFragment(new URLSearchParams());
  opener.postMessage("ready", location.origin);
};

/** Return a place to drop a bundle, which the service audits and shows like its own encounters. @param {string} key */
const importing = (key) => {
  const said = html("p", { role: "status" });
  const take = async (/** @type {File} */ file) => {
    said.textContent = `${file.name} is sent and audited …`;
    try {
      const done = await client(key).takeBundle(await file.text());
      if (done.status === "done") location.assign(`/encounters/${done.encounter}`);
      else said.textContent = `It was not imported: ${done.refusal?.detail ?? done.status}`;
    } catch (fault) {
      said.textContent = faultText(fault);
    }
  };
  const file = html("input", { type: "file", class: "visually-hidden", id: "bundle", accept: ".jsonl", onchange: () => take(file.files[0]) });
  const zone = html("label", { class: "drop", for: "bundle" }, html("b", {}, "Import a bundle"), " or drop it here: the service audits it and shows it on its map. ",
    html("a", { href: "/verify" }, "Or verify it in your browser alone."), file, said);
  if (fragment().has("import") && opener) receive(take);
  zone.addEventListener("dragover", (/** @type {DragEvent} */ event) => event.preventDefault());
  zone.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    const dropped = event.dataTransfer?.files[0];
    if (dropped) take(dropped);
  });
  return zone;
};

/** Offer the sample fights of the books: a click opens one. @param {string} key @param {HTMLElement} place */
const samples = async (key, place) => {
  const books = await client(key).rulesets();
  const all = (await Promise.all(books.map(({ edition }) => client(key).library(edition, { kind: "fight" })))).flat();
  const open = async (/** @type {Sample} */ sample, /** @type {HTMLButtonElement} */ node) => {
    node.disabled = true;
    const encounter = await client(key).open(/** @type {import("../client/contract.mjs").Opening} */ (sample.data));
    location.assign(`/encounters/${encounter.id}`);
  };
  show(place, all.length ? [html("h2", {}, "Sample fights"), html("div", { class: "row wrap" }, all.map((sample) => html("button", { type: "button", class: "sample", onclick: (event) => open(sample, event.currentTarget) },
    html("b", {}, sample.name), html("span", { class: "soft small" }, sample.text))))] : null);
};

/** Offer to remember the key here, and to bring it to another device. @param {string} key */
const device = (key) => {
  const place = html("div");
  const link = async () => {
    const isSure = await confirmed("Show a link with your key?", "Whoever opens it can do everything that you can, in every fight of yours, until the key is revoked. Show it to your own device alone.", "Show it");
    if (!isSure) return;
    const address = `${location.origin}/#key=${key}`;
    const made = { address, label: "Link for another device of yours", note: "It brings your key along; the address forgets it as soon as it is opened.", qr: await qrOf(client(key), address) };
    const draw = (said = "") => show(place, html("h2", { class: "visually-hidden" }, "Your key"), drawReach(), drawLink({ ...made, said }, draw));
    draw();
  };
  return html("details", { class: "device" }, html("summary", {}, "Your key"), html("div", { class: "row" },
    isRemembered() ? html("span", { class: "soft small" }, "This device keeps the key until you click “Forget the key” above.") : button("Stay signed in on this device", (event) => { keep(key, true); /** @type {Element} */ (event.currentTarget).replaceWith(html("span", { class: "soft small" }, "This device keeps the key until you click “Forget the key” above.")); }),
    button("Use it on another device", link)), place);
};

/** Show the encounters of an API key's owner. @param {string} key */
const list = async (key) => {
  const items = html("ul", { class: "encounters" });
  const more = button("Show more", () => take(), { hidden: true });
  const status = html("select", { "aria-label": "Status", onchange: () => begin() },
    ["", "open", "over", "closed"].map((value) => html("option", { value }, value || "every status")));
  /** @type {AsyncGenerator<Listed, void>} */
  let found;
  const take = async () => {
    for (let count = 0; count < PAGE; count += 1) {
      const { value, done } = await found.next();
      more.hidden = Boolean(done);
      if (done) break;
      items.append(item(value));
    }
    if (!items.childElementCount) items.append(html("li", { class: "soft" }, status.value ? "No fight has this status." : "No fights yet. Open a new one, or a sample fight to look around."));
    if (!status.value && items.querySelectorAll("a").length < FEW) samples(key, sampled);
  };
  const begin = async () => {
    found = client(key).encounters({ status: status.value || undefined });
    items.replaceChildren();
    await take().catch((fault) => start(fault));
  };
  const sampled = html("div", { class: "samples" });
  show(at("main"), html("div", { class: "top" }, html("h1", {}, "Fights"), html("div", { class: "row" }, status, html("a", { class: "button main", href: "/new" }, "New fight"))), items, more, sampled,
    importing(key), device(key));
  await begin();
};

/** @param {any} [fault] why the last key was not accepted */
const start = (fault) => {
  const key = fault ? null : heldKey();
  show(at("leave"), key !== null && button("Forget the key", () => { keep(null); start(); }));
  if (key === null) {
    askForKey(at("main"), () => start(), fault ? faultText(fault) : "");
    return;
  }
  const seat = seatOf(key);
  if (seat) location.assign(`/encounters/${seat.encounter}`);
  else list(key);
};

addEventListener("hashchange", () => start());
start();

// Home: the encounters that the key or the token may see.

import { at, button, html, show } from "../shared/dom.mjs";
import { askForKey, client, fragment, heldKey, keep, replaceFragment, seatOf } from "../shared/session.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */

const PAGE = 30;

/** Return in a few words whose turn it is, or how it ended. @param {Json} encounter */
const turn = ({ winner, waiting, status }) => {
  if (winner !== null) return `${winner} won`;
  if (status !== "open") return status === "over" ? "nobody won" : "";
  const blocking = waiting.filter((each) => !each.optional);
  const asked = blocking.length ? blocking : waiting;
  if (!asked.length) return "nobody is asked";
  const named = asked.map(({ seat, creatures }) => (creatures.length ? `${creatures.join(", ")} (${seat ?? "a group"})` : seat ?? "a group"));
  return `${blocking.length ? "waits for" : "may act:"} ${[...new Set(named)].join(", ")}`;
};

/** @param {Json} encounter */
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
  const take = async (file) => {
    said.textContent = `${file.name} is sent and audited …`;
    try {
      const done = await client(key).takeBundle(await file.text());
      if (done.status === "done") location.assign(`/encounters/${done.encounter}`);
      else said.textContent = `It was not imported: ${done.refusal ?? done.fault ?? done.status}`;
    } catch (fault) {
      said.textContent = fault.detail ?? fault.message;
    }
  };
  const file = html("input", { type: "file", class: "visually-hidden", id: "bundle", accept: ".jsonl", onchange: () => take(file.files[0]) });
  const zone = html("label", { class: "drop", for: "bundle" }, html("b", {}, "Import a bundle"), " or drop it here: the service audits it and shows it on its map. ",
    html("a", { href: "/verify" }, "Or verify it in your browser alone."), file, said);
  if (fragment().has("import") && opener) receive(take);
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });
  return zone;
};

/** Show the encounters of an API key's owner. @param {string} key */
const list = async (key) => {
  const items = html("ul", { class: "encounters" });
  const more = button("Show more", () => take(), { hidden: true });
  const status = html("select", { "aria-label": "Status", onchange: () => begin() },
    ["", "open", "over", "closed"].map((value) => html("option", { value }, value || "every status")));
  let found;
  const take = async () => {
    for (let count = 0; count < PAGE; count += 1) {
      const { value, done } = await found.next();
      more.hidden = Boolean(done);
      if (done) break;
      items.append(item(value));
    }
    if (!items.childElementCount) items.append(html("li", { class: "soft" }, "No encounters yet. The ", html("a", { href: "/docs/api#openEncounter" }, "documentation"), " shows how to open one."));
  };
  const begin = async () => {
    found = client(key).encounters({ status: status.value || undefined });
    items.replaceChildren();
    await take().catch((fault) => start(fault));
  };
  show(at("main"), html("div", { class: "top" }, html("h2", {}, "Encounters"), status), items, more,
    importing(key));
  await begin();
};

/** @param {any} [fault] why the last key was not accepted */
const start = (fault) => {
  const key = fault ? null : heldKey();
  show(at("leave"), key !== null && button("Forget the key", () => { keep(null); start(); }));
  if (key === null) {
    askForKey(at("main"), () => start(), fault ? fault.detail ?? fault.message : "");
    return;
  }
  const seat = seatOf(key);
  if (seat) location.assign(`/encounters/${seat.encounter}`);
  else list(key);
};

addEventListener("hashchange", () => start());
start();

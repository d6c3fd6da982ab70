// Open the page of a fight: with the key or token that its address or this tab has, or that is typed.

import { Problem } from "../client/rewound.mjs";
import { at, button, html, show } from "../shared/dom.mjs";
import { askForKey, client, heldKey, keep, seatOf } from "../shared/session.mjs";
import { open } from "./fight.mjs";

/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */

/** Verify a bundle in a worker. @param {string} bundle @param {string[]} keys @returns {Promise<import("./proof.mjs").Verified>} */
const verified = (bundle, keys) => new Promise((done, failed) => {
  const worker = new Worker("/page/fight/proof_worker.mjs", { type: "module" });
  worker.addEventListener("message", ({ data }) => { worker.terminate(); done(data); });
  worker.addEventListener("error", (fault) => { worker.terminate(); failed(new Error(fault.message || "the verifier did not start")); });
  worker.postMessage({ bundle, keys });
});

/** Return how the record of a fight of this service is verified. @param {Encounter} encounter @returns {import("./proof.mjs").Proving} */
const provingOf = (encounter) => ({
  intro: "Your browser downloads the record and verifies every hash, seal, signature and die that is disclosed.",
  aboutKeys: ["The key came from this service. Compare it with one that you received elsewhere, on ", html("a", { href: "/verify" }, "the page that verifies"), "."],
  key: "a key of this service",
  prepare: () => encounter.checkpoint(),
  keys: async () => (await encounter.client.signingKeys()).map((each) => each.public_key),
  verify: verified,
  steps: async (what, bundle, keys) => (await import("/docs/verifier/steps.mjs")).stepsOf(what, bundle, keys),
});

/** @param {string} [fault] */
const start = async (fault) => {
  const key = heldKey();
  const id = location.pathname.split("/")[2] ?? (key && seatOf(key)?.encounter);
  const isShared = location.pathname === "/s"; // who has a link has no list of encounters
  const isFramed = self !== top; // another page shows this one: what leads away opens a window
  show(at("tools"), isFramed ? html("a", { href: location.href, target: "_blank", rel: "noopener" }, "Open in a window")
    : [!isShared && html("a", { href: "/" }, "Fights"), html("a", { href: "/docs" }, "Documentation")]);
  if (isFramed) document.querySelector(".brand")?.setAttribute("target", "_blank");
  if (key === null && !id) {
    show(askPlace(), html("div", { class: "card ask" }, html("h2", {}, "This link is not complete"), html("p", {}, "Its part after # is missing. Ask for it again.")));
    return;
  }
  if (key === null) {
    askForKey(askPlace(), () => { askPlace().replaceChildren(); start(); }, fault);
    return;
  }
  try {
    const encounter = client(key).encounter(id);
    await open(encounter, { proving: provingOf(encounter) });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401 && !isShared) {
      keep(null);
      start(problem.detail ?? problem.message);
      return;
    }
    show(askPlace(), html("div", { class: "card ask" }, html("h2", {}, problem.title ?? "Not found"), html("p", {}, problem.detail ?? ""),
      button("Use another key", () => { keep(null); askPlace().replaceChildren(); start(); })));
  }
};

/** Return the place for questions above the fight. */
const askPlace = () => at("ask") ?? at("main").insertAdjacentElement("afterbegin", html("div", { id: "ask" }));

start();

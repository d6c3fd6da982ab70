// Show the fight of a bundle from one file, without a service: verify the bundle first, then replay what the file holds.

import { Client } from "../client/rewound.mjs";
import { stepsOf } from "/docs/verifier/steps.mjs";
import { keyOf } from "/docs/verifier/verify.mjs";
import { at, html, show } from "../shared/dom.mjs";
import { answering } from "./answers.mjs";
import { open } from "./fight.mjs";
import { reportOf } from "./proof_report.mjs";

const NOWHERE = "https://replay.invalid"; // no request is sent: `answering` answers each

/** @type {import("./answers.mjs").Replayed} */
const replayed = JSON.parse(at("replayed").textContent);

/** Return a field for public keys, one in a line, and how to read it. */
const keysField = () => {
  const field = html("textarea", { id: "keys", rows: 2, spellcheck: "false" });
  const read = async () => /** @type {string[]} */ (field.value.split("\n")).map((line) => line.trim()).filter(Boolean).map((line) => {
    const key = keyOf(line);
    if (key === null) throw new Error(`${line} is not a valid key`);
    return key;
  });
  const node = html("div", { class: "field" }, html("label", { for: "keys" }, "Keys that you accept, one per line: 64 hexadecimal digits, or a verifier key"), field);
  return { node, read };
};

/** Say first what is shown, and whose word it is. */
const introduce = () => {
  for (const name of ["href", "aria-label"]) document.querySelector(".brand")?.removeAttribute(name); // it leads nowhere here
  show(at("tools"), html("span", { class: "soft small" }, "Recorded"));
  at("main").prepend(html("details", { class: "banner" },
    html("summary", {}, `Replayed from ${replayed.name}, without a service. What is verified?`),
    html("p", {}, "Your browser has verified the record: its dice and refusals are those that were recorded. The map, the sentences and the reasons were made by who made this file. ",
      html("code", {}, "rewound replay"), " makes them again from the bundle, which is under Proof.")));
};

const start = async () => {
  const found = await reportOf(replayed.bundle, []);
  const hasAll = replayed.sentences.length === found.size && /** @type {any} */ (replayed.answers["/creatures/changes"]).changes.length === found.size;
  if (!found.isSound || !hasAll) {
    const [title, text] = found.isSound ? ["This file does not fit its bundle", "It does not hold what each commit of the bundle led to."] : [`Something is wrong with this file${found.where}`, `${found.meaning}. ${found.detail}`];
    show(at("tools"));
    show(at("main"), html("div", { class: "card ask", role: "alert" }, html("h2", {}, title), html("p", {}, text), html("p", {}, html("b", {}, "Nothing of it is replayed."))));
    return;
  }
  introduce();
  const encounter = new Client(NOWHERE, undefined, { fetch: answering(replayed), tries: 1 }).encounter(replayed.encounter);
  const { node, read } = keysField();
  await open(encounter, {
    role: "observer",
    isRecorded: true,
    proving: {
      intro: `Your browser has checked the record in this file; below is what it found. Who made the file also had every command decided again by the rules, and says: “${replayed.verdict.meaning}.” That is the word of the maker.`,
      aboutKeys: "A key that comes with a bundle proves nothing about who made it. Take the key from elsewhere. Anyone who changes this file can change what it says, too: download the bundle and verify it with a program of your own.",
      more: node, keys: read, found,
      verify: async (bundle, keys) => reportOf(bundle, keys),
      steps: async (what, bundle, keys) => stepsOf(what, bundle, keys),
    },
  });
};

start();

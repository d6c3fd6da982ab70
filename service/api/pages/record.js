// Show the record that a verified bundle holds, commit by commit. It reads the file alone and opens no connections.
//
// A bundle holds commands, events and dice, and no state: a map needs the rules, which this page does not have.

import { rollLine } from "/page/fight/dice.mjs";
import { showCheck } from "/page/shared/check.mjs";
import { button, html, show, words } from "/page/shared/dom.mjs";
import { readLines } from "./verifier/lines.mjs";
import { plain } from "./verifier/plain.mjs";
import { eventsOf, isEnvelope, readRecord, rollName, rollsOf } from "./verifier/record.mjs";
import { stepsOfPlace, stepsOfRoll } from "./verifier/steps.mjs";

const HIDDEN = new Set(["type", "because", "v"]);
const LONG = 160;

/** Return the members of an object that say something, in words. */
const said = (data) => Object.entries(data).filter(([name, value]) => !HIDDEN.has(name) && value !== null)
  .map(([name, value]) => [plain(name), inWords(value)]).filter(([, text]) => text !== "");

/** Return a value in few words. */
const inWords = (value) => {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  if (typeof value === "object") return said(value).map(([name, each]) => `${words(name)}: ${each}`).join("; ");
  return words(plain(String(value)));
};

const fields = (data) => {
  const text = said(data).map(([name, value]) => `${words(name)} ${value}`).join(" · ");
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
};

const eventLine = (event) => html("li", {}, html("b", {}, words(plain(event.type))), " ", fields(event), " ",
  html("span", { class: "soft" }, event.because.join(", ")));

/** Return a button that recomputes something of the file. */
const checks = (text, title, work) => button(text, () => showCheck(title, async () => work()), { class: "quiet" });

const commitItem = (moment, file) => {
  const { n, commit, request, opened } = moment;
  const closed = commit.events.filter(isEnvelope).length - opened.length;
  return html("li", {}, html("details", {},
    html("summary", {}, html("code", {}, `#${n}`), " ", request ? plain(`${request.actor.seat}: ${words(request.type)}`) : "a command that is withheld", " ",
      html("span", { class: `status ${commit.outcome === "refused" ? "s5" : "s2"}` }, commit.outcome), closed > 0 ? ` · ${closed} sealed` : ""),
    request && html("p", { class: "soft" }, fields(request.data)),
    commit.refusal && html("p", {}, plain(`${commit.refusal.detail} (${words(commit.refusal.code)})`)),
    html("ul", {}, eventsOf(moment).map(eventLine)),
    rollsOf(moment).filter(({ source }) => source === "seeded").map((roll) =>
      checks("Check these dice yourself", `Check the dice of ${roll.name.stream} in #${n}`, () => stepsOfRoll(file.bytes, n, rollName(roll), commit.encounter))),
    checks("Check that nobody changed it", `Check the place of #${n} in the record`, () => stepsOfPlace(file.bytes, n, file.keys, commit.encounter))),
  rollsOf(moment).map((roll) => rollLine(roll)));
};

const listOf = (moments, file) => html("ol", { class: "record" }, moments.map((moment) => commitItem(moment, file)));

/** Return what an earlier line holds that does not lead to the line that is played; null if all of it does. */
const takenBack = (line, kept, file) => {
  const own = line.moments.slice(line.shared).filter((moment) => !kept.has(moment));
  return own.length === 0 ? null : html("details", {},
    html("summary", {}, own.length === 1 ? `Taken back: #${own[0].n}` : `Taken back: #${own[0].n} to #${own.at(-1).n}`), listOf(own, file));
};

/**
 * Show what a sound bundle holds in *place*: the path of the fight, then what was taken back.
 * @param {HTMLElement} place @param {ArrayBuffer} raw @param {string[]} keys those that the reader accepts
 */
export const showRecord = (place, raw, keys) => {
  const file = { bytes: new Uint8Array(raw), keys };
  const lines = readLines(file.bytes);
  lines.forEach(readRecord);
  const { moments } = lines.at(-1);
  const kept = new Set(moments);
  show(place, html("h2", {}, "The record, commit by commit"), listOf(moments, file), lines.map((line) => takenBack(line, kept, file)).filter((node) => node !== null));
};

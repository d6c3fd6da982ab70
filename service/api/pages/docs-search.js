// What the search finds, by kind; docs-rank.js says how well each fits.

import { REFERENCE, anchor, html, nameOf } from "./docs-parts.js";
import { ranked } from "./docs-rank.js";

const MOST = 8;
const KINDS = ["Pages", "Operations", "Commands", "Events", "Fields", "Problems", "Rules", "Words", "Settings", "Schemas"];
const CODE = new Set(["Commands", "Events", "Fields", "Schemas", "Settings"]);
const SAID = new Set(["Rules", "Fields", "Words", "Settings"]);
const NAMED = 2; // the rank of an entry whose name has what is asked
const FIRST = 10_000;
const IN_WORDS = 2.5; // how much more a page counts than an entry of the reference

// An entry: its kind, its name, what it says, where it leads, and what stands beside its name.
export const entriesOf = (contract, problems) => {
  const { schemas } = contract.components;
  const entries = [];
  const add = (kind, name, text, to, beside = "") => entries.push({ kind, name, text, to, beside, words: `${name} ${beside} ${text}`.toLowerCase() });
  for (const [path, item] of Object.entries(contract.paths))
    for (const [method, each] of Object.entries(item))
      add("Operations", each.summary, `${each.operationId} ${method} ${path} ${each.description}`, each.operationId, `${method.toUpperCase()} ${path}`);
  const typed = new Set();
  for (const [union, { discriminator }] of Object.entries(schemas)) {
    const kind = union.endsWith("Command") ? "Commands" : union.endsWith("Event") ? "Events" : null;
    if (!kind || discriminator?.propertyName !== "type") continue;
    for (const [type, reference] of Object.entries(discriminator.mapping)) {
      const name = nameOf(reference);
      typed.add(name);
      add(kind, type, schemas[name].description, anchor(name), union.replace(/(Command|Event)$/, ""));
    }
  }
  const fields = new Map();
  for (const [name, schema] of Object.entries(schemas)) {
    if (!typed.has(name)) add("Schemas", name, schema.description, anchor(name));
    for (const [field, { description }] of Object.entries(schema.properties ?? {})) {
      const found = fields.get(field) ?? fields.set(field, { text: description ?? "", homes: [] }).get(field);
      found.homes.push(name);
    }
  }
  for (const [field, { text, homes }] of fields) {
    const [first, ...more] = homes;
    add("Fields", field, text, anchor(first), more.length ? `${first} and ${more.length} more` : first);
    entries.at(-1).homes = homes;
  }
  for (const { type, status, title, text } of problems) add("Problems", title, text, type, `${status} ${type.slice(type.lastIndexOf("/") + 1)}`);
  return entries;
};

export const ruleEntries = (rulesets) => rulesets.flatMap(({ edition, rules }) => rules.map((rule) =>
  ({ kind: "Rules", name: rule.id, text: rule.statement, to: `rule-${rule.id}`, beside: edition, words: `${rule.id} ${edition} ${rule.statement}`.toLowerCase() })));

export const found = ranked;

const link = ({ kind, name, text, to, beside }) => {
  const shown = CODE.has(kind) ? html("code", {}, name) : name;
  return html("li", {}, html("a", { href: to.startsWith("/") ? to : `${REFERENCE}#${to}` }, html("span", { class: "found" }, shown), " ",
    html("span", { class: "beside" }, beside), SAID.has(kind) ? html("span", { class: "says" }, text) : null));
};

// Pages come first if one is called so, or if somebody asks in words; then kinds come as their best entries do.
const order = (entries) => KINDS.map((kind) => ({ kind, mine: entries.filter((entry) => entry.kind === kind) }))
  .filter(({ mine }) => mine.length > 0)
  .map((each) => ({ ...each, best: each.mine[0].score * (each.kind === "Pages" ? IN_WORDS : 1) + (each.kind === "Pages" && each.mine[0].at <= NAMED ? FIRST : 0) }))
  .sort((one, other) => other.best - one.best);

// The results by kind; a kind with many shows the best, and all when one asks.
export const ordered = order;

export const results = (entries) => order(entries).flatMap(({ kind, mine }) => {
  const list = html("ul", { "aria-label": kind }, mine.slice(0, MOST).map(link));
  const more = mine.length > MOST ? html("button", { type: "button", class: "more" }, `${mine.length - MOST} more`) : null;
  more?.addEventListener("click", () => {
    const rest = mine.slice(MOST).map(link);
    list.append(...rest);
    more.remove();
    rest[0].querySelector("a").focus();
  });
  return [html("section", {}, html("h3", {}, kind, html("span", { class: "beside" }, ` ${mine.length}`)), list, more)];
});

// The search of the documentation: pages, sections, words and settings of the built site; operations, commands,
// fields, events and problems of the contract; rules of every ruleset that runs here.

import { entriesOf, found, results, ruleEntries } from "./docs-search.js";

const at = (id) => document.getElementById(id);

export const read = async (address) => {
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
};

let rules;
export const readRules = () => {
  rules ??= read("/v1/rulesets").then(({ rulesets }) => Promise.all(rulesets.map(({ edition }) => read(`/v1/rulesets/${edition}`))));
  return rules;
};

// A source tree has no built site: then its pages are not found, and everything else is.
const pageEntries = () => read("/docs/pages.json").catch(() => []);

const withWords = (entry) => ({ ...entry, words: `${entry.name} ${entry.beside} ${entry.text}`.toLowerCase() });

// What can be found, as it arrives: `show` is called with all of it, each time there is more.
const readAll = async (contract, problems, show) => {
  const pages = (await pageEntries()).map(withWords);
  show(pages);
  const [document_, kinds, rulesets] = await Promise.all([contract(), problems(), readRules()]);
  const known = new Set(pages.filter(({ kind }) => kind === "Rules").map(({ name }) => name));
  show([...pages, ...entriesOf(document_, kinds.problems), ...ruleEntries(rulesets).filter(({ name }) => !known.has(name))]);
};

// Search when somebody asks; *contract* and *problems* return promises of what the page may have read already.
export const searchBox = (contract = () => read("/openapi.json"), problems = () => read("/problems")) => {
  const input = at("search");
  let all = null;
  let isWhole = false;
  const show = () => {
    const asked = input.value.trim();
    const isAsked = asked.length > 1;
    const fits = isAsked ? found(all ?? [], asked) : [];
    at("results").hidden = !isAsked;
    at("contents").hidden = isAsked;
    at("results").replaceChildren(...results(fits));
    at("count").textContent = !isAsked ? "" : fits.length > 0 ? `${fits.length} found` : isWhole ? `Nothing found for “${asked}”.` : "Searching …";
  };
  const begin = async () => {
    if (all) return;
    all = [];
    try {
      await readAll(contract, problems, (entries) => { all = entries; show(); });
      isWhole = true;
      show();
    } catch (fault) {
      all = null;
      at("count").textContent = `The search could not be loaded: ${fault.message}`;
    }
  };
  input.addEventListener("input", () => { begin(); show(); });
  input.addEventListener("focus", begin);
  addEventListener("keydown", (event) => {
    const isTyping = document.activeElement.matches("input, textarea, select");
    if (event.key === "/" && !isTyping) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape" && document.activeElement === input) { input.value = ""; show(); }
  });
};

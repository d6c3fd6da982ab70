// Tabs over panels, by the pattern of the ARIA practices: arrows move between tabs. A panel may be docked beside the others.

import { html, say, show } from "../shared/dom.mjs";

/**
 * @typedef {object} Tabs
 * @property {(name: string) => void} select opens a panel
 * @property {(name: string, count: number) => void} badge says on a tab that something waits there
 * @property {(name: string, place: HTMLElement | null) => void} dock shows a panel in a place of its own; null has it back
 * @property {() => string} opened the panel that is open
 */

/** @type {Record<string, number>} how many tabs further a key leads */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * Make tabs; return the panels by name, and what can be done with them.
 * @param {HTMLElement} list @param {HTMLElement} place @param {[string, string][]} names each with its text
 * @param {(name: string) => void} [opened] is called with the name of a panel that is opened
 * @returns {Record<string, any> & Tabs}
 */
export const tabsIn = (list, place, names, opened = () => {}) => {
  /** @type {Record<string, HTMLElement>} */
  const tabs = {};
  /** @type {Record<string, HTMLElement>} */
  const panels = {};
  /** @type {Record<string, HTMLElement>} */
  const badges = {};
  /** @type {Set<string>} */
  const docked = new Set();
  let open = names[0][0];
  const select = (/** @type {string} */ name) => {
    if (!docked.has(name)) open = name;
    for (const [each] of names) {
      const isOpen = each === open;
      tabs[each].setAttribute("aria-selected", String(isOpen));
      tabs[each].tabIndex = isOpen ? 0 : -1;
      panels[each].hidden = !isOpen && !docked.has(each);
    }
    opened(name);
  };
  const move = (/** @type {KeyboardEvent} */ event) => {
    const step = STEPS[event.key];
    if (!step) return;
    const shown = names.filter(([each]) => !docked.has(each));
    const from = shown.findIndex(([each]) => tabs[each] === event.currentTarget);
    const [next] = shown[(from + step + shown.length) % shown.length];
    select(next);
    tabs[next].focus();
    event.preventDefault();
  };
  for (const [name, text] of names) {
    badges[name] = html("span", { class: "count-badge", hidden: true });
    tabs[name] = html("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => select(name), onkeydown: move }, text, badges[name]);
    panels[name] = html("div", { role: "tabpanel", id: `panel-${name}`, class: `panel panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: 0 });
  }
  show(list, Object.values(tabs));
  show(place, Object.values(panels));
  select(open);
  const badge = (/** @type {string} */ name, /** @type {number} */ count) => {
    if (!badges[name]) return;
    badges[name].hidden = !count;
    say(badges[name], count ? String(count) : "");
    if (count) badges[name].setAttribute("aria-label", `${count} waiting`);
  };
  const dock = (/** @type {string} */ name, /** @type {HTMLElement | null} */ where) => {
    if (!panels[name] || docked.has(name) === Boolean(where)) return;
    if (where) {
      docked.add(name);
      where.append(panels[name]);
      panels[name].setAttribute("role", "group");
    } else {
      docked.delete(name);
      place.prepend(panels[name]);
      panels[name].setAttribute("role", "tabpanel");
    }
    tabs[name].hidden = Boolean(where);
    if (where && open === name) [open] = names.find(([each]) => each !== name) ?? [name];
    select(open);
  };
  return Object.assign(panels, { select, badge, dock, opened: () => open });
};

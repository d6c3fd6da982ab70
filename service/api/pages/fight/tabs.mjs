// Tabs over panels, by the pattern of the ARIA practices: arrows move between tabs.

import { html, show } from "../shared/dom.mjs";

/**
 * Make tabs; return the panels by name, and `select` to open one.
 * @param {HTMLElement} list @param {HTMLElement} place @param {[string, string][]} names each with its text
 * @param {(name: string) => void} [opened] is called with the name of a panel that is opened
 * @returns {Record<string, HTMLElement> & {select: (name: string) => void}}
 */
export const tabsIn = (list, place, names, opened = () => {}) => {
  const tabs = {}, panels = {};
  const select = (name) => {
    for (const [each] of names) {
      const isOpen = each === name;
      tabs[each].setAttribute("aria-selected", String(isOpen));
      tabs[each].tabIndex = isOpen ? 0 : -1;
      panels[each].hidden = !isOpen;
    }
    opened(name);
  };
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const open = names.findIndex(([each]) => tabs[each] === event.target);
    const [next] = names[(open + step + names.length) % names.length];
    select(next);
    tabs[next].focus();
    event.preventDefault();
  };
  for (const [name, text] of names) {
    tabs[name] = html("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => select(name), onkeydown: move }, text);
    panels[name] = html("div", { role: "tabpanel", id: `panel-${name}`, class: `panel panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: 0 });
  }
  show(list, Object.values(tabs));
  show(place, Object.values(panels));
  select(names[0][0]);
  return Object.assign(panels, { select });
};

// Make elements. Text is always text: no string becomes HTML here.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Set attributes: `onclick` and the like are listeners, `true` is an empty attribute, `false` and null leave it out.
 * @param {Element} node @param {Record<string, any>} attributes
 */
const dress = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
};

/** @param {Element} node @param {(Child | Child[])[]} children */
const fill = (node, children) => {
  node.append(...children.flat(3).filter((each) => each !== null && each !== undefined && each !== false).map((each) =>
    (each instanceof Node ? each : String(each))));
};

/** Return a new HTML element. @param {string} tag @param {Record<string, any>} [attributes] @param {...(Child | Child[])} children */
export const html = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  dress(node, attributes);
  fill(node, children);
  return node;
};

/** Return a new SVG element. @param {string} tag @param {Record<string, any>} [attributes] @param {...(Child | Child[])} children */
export const svg = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS(SVG, tag);
  dress(node, attributes);
  fill(node, children);
  return node;
};

/** Return the element with this id. @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/** Replace what *node* contains. @param {Element} node @param {...(Child | Child[])} children */
export const show = (node, ...children) => {
  node.replaceChildren();
  fill(node, children);
};

/** Give *node* a text, unless it has it: what is written again is laid out again. @param {Node} node @param {string} text */
export const say = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};

/** Give *node* attributes, unless it has them: what is written again is laid out again. @param {Element} node @param {Record<string, string>} attributes */
export const put = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
};

/** Return a button. @param {string} text @param {(event: Event) => void} onclick @param {Record<string, any>} [attributes] */
export const button = (text, onclick, attributes = {}) => html("button", { type: "button", onclick, ...attributes }, text);

/** Return words for a name of the API: `grant_priority` is `grant priority`. @param {string} name */
export const words = (name) => String(name).replaceAll("_", " ");

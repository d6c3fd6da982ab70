// Make elements, and patch what the page shows into what it should show. Text is always text: no string becomes HTML here.
//
// Laws of `patch`. What is drawn again keeps its node: its focus, its selection, how far it is scrolled, and whatever was
// typed into it or opened in it. A child with a `key` is found by its key, any other by its place among those of its kind.
// A node that has the focus is never moved. `tests/page/test_patch.py` holds them for random trees.

const SVG = "http://www.w3.org/2000/svg";
const KEY = Symbol("key");
const LISTENERS = Symbol("listeners");
const OWN = Symbol("own");

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {{target: any, currentTarget: any}} Of what an event is about: the view that listens knows which element it made */
/**
 * @typedef {{[name: string]: any, onclick?: Listener<MouseEvent>, onchange?: Listener<Event>, oninput?: Listener<Event>, onfocus?: Listener<FocusEvent>, ontoggle?: Listener<Event>, onsubmit?: Listener<Event>,
 *  onkeydown?: Listener<KeyboardEvent>, onpointerdown?: Listener<PointerEvent>, onpointermove?: Listener<PointerEvent>, onpointerup?: Listener<PointerEvent>,
 *  onpointercancel?: Listener<PointerEvent>, onpointerleave?: Listener<PointerEvent>, onwheel?: Listener<WheelEvent>, ondragover?: Listener<DragEvent>, ondrop?: Listener<DragEvent>}} Attributes
 */
/** @template E @typedef {((event: E & Of) => unknown) | null | undefined | false} Listener */

/** Hand an event to the listener that a node has now. @this {any} @param {Event} event */
function hand(event) {
  return this[LISTENERS].get(event.type)?.call(this, event);
}

/** Have *node* call *listener*, in place of the one that it had for this type. @param {any} node @param {string} type @param {any} listener */
const listen = (node, type, listener) => {
  node[LISTENERS] ??= new Map();
  if (!node[LISTENERS].has(type)) node.addEventListener(type, hand, type === "wheel" ? { passive: false } : undefined);
  node[LISTENERS].set(type, listener);
};

/**
 * Set attributes: `onclick` and the like are listeners, `true` is an empty attribute, `false` and null leave it out.
 * `key` finds the node again among its siblings; `own` says that what is in the node is not the view's, and stays.
 * @param {Element} node @param {Attributes} attributes
 */
const dress = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "key") /** @type {any} */ (node)[KEY] = String(value);
    else if (name === "own") /** @type {any} */ (node)[OWN] = true;
    else if (name.startsWith("on")) listen(node, name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
};

/** @param {(Child | Child[])[]} children @returns {Node[]} */
const nodesOf = (children) => {
  const made = [];
  for (const each of children.flat(4)) {
    if (each === null || each === undefined || each === false) continue;
    made.push(each instanceof Node ? each : document.createTextNode(String(each)));
  }
  return made;
};

/** Return a new HTML element. @param {string} tag @param {Attributes} [attributes] @param {...(Child | Child[])} children @returns {any} */
export const html = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  dress(node, attributes);
  node.append(...nodesOf(children));
  return node;
};

/** Return a new SVG element. @param {string} tag @param {Attributes} [attributes] @param {...(Child | Child[])} children @returns {any} */
export const svg = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS(SVG, tag);
  dress(node, attributes);
  node.append(...nodesOf(children));
  return node;
};

/** Return the element with this id. @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/** Replace what *node* contains with new nodes. @param {Element} node @param {...(Child | Child[])} children */
export const show = (node, ...children) => {
  node.replaceChildren(...nodesOf(children));
};

/** Have *node* contain *children*, and keep the nodes that it has. @param {Element} node @param {...(Child | Child[])} children */
export const patch = (node, ...children) => {
  reconcile(node, nodesOf(children));
};

/** Have the node *now* look as the new node *then* does. @param {Element} now @param {Element} then */
export const redraw = (now, then) => morph(now, then);

/** @param {Element} parent @param {Node[]} wanted */
const reconcile = (parent, wanted) => {
  const old = [...parent.childNodes];
  const known = new Set(old);
  const taken = new Set(wanted.filter((each) => known.has(/** @type {any} */ (each))));
  const keyed = new Map(), unkeyed = new Map();
  for (const each of old) {
    if (taken.has(each)) continue;
    const key = /** @type {any} */ (each)[KEY];
    if (key !== undefined) keyed.set(`${each.nodeName} ${key}`, each);
    else unkeyed.set(kindOf(each), [...(unkeyed.get(kindOf(each)) ?? []), each]);
  }
  const result = wanted.map((each) => {
    if (taken.has(each)) return each;
    const key = /** @type {any} */ (each)[KEY];
    const name = `${each.nodeName} ${key}`;
    const found = key === undefined ? unkeyed.get(kindOf(each))?.shift() : keyed.get(name);
    if (key !== undefined) keyed.delete(name);
    if (!found) return each;
    morph(found, each);
    return found;
  });
  const kept = new Set(result);
  const isNew = parent.nodeName === "SELECT" && !old.length;
  for (const each of old) if (!kept.has(each)) /** @type {any} */ (each).remove();
  arrange(parent, result);
  if (isNew) /** @type {any} */ (parent).selectedIndex = Math.max(0, result.findIndex((each) => /** @type {any} */ (each).defaultSelected));
};

/** Return what two nodes without a key must share to be taken for the same one. @param {any} node */
const kindOf = (node) => `${node.nodeName} ${node.id ?? ""} ${node.getAttribute?.("type") ?? ""} ${node.getAttribute?.("name") ?? ""}`;

/** Put *nodes* into this order, and move none that has the focus. @param {Element} parent @param {Node[]} nodes */
const arrange = (parent, nodes) => {
  const focused = document.activeElement;
  const anchor = focused && focused !== parent && parent.contains(focused) ? nodes.findIndex((each) => each.contains(focused)) : -1;
  let next = parent.firstChild;
  for (const each of nodes.slice(0, Math.max(0, anchor))) {
    if (each === next) next = next.nextSibling;
    else place(parent, each, next);
  }
  /** @type {Node | null} */
  let after = null;
  for (let index = nodes.length - 1; index > anchor; index -= 1) {
    if (nodes[index].nextSibling !== after || nodes[index].parentNode !== parent) place(parent, nodes[index], after);
    after = nodes[index];
  }
};

/** Insert a node, or move it with everything that it is in the middle of. @param {any} parent @param {Node} node @param {Node | null} before */
const place = (parent, node, before) => {
  if (parent.moveBefore && node.parentNode === parent && node.isConnected) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
};

/** Return the value that a control is declared to have: not what a person made of it. @param {any} node */
const declared = (node) => {
  if (node.nodeName === "TEXTAREA") return node.defaultValue;
  if (node.nodeName === "SELECT") return [...node.options].find((each) => each.defaultSelected)?.value;
  if (node.nodeName !== "INPUT") return undefined;
  return /^(checkbox|radio)$/.test(node.type) ? node.defaultChecked : node.defaultValue;
};

/** Give a control the value that its view declares. @param {any} node @param {any} value */
const declare = (node, value) => {
  if (node.nodeName === "TEXTAREA") node.defaultValue = value;
  if (typeof value === "boolean") node.checked = value;
  else if (value !== undefined && node.value !== value) node.value = value;
};

/** Have the node *now* look as *then* does. @param {any} now @param {any} then */
const morph = (now, then) => {
  if (now.nodeType !== Node.ELEMENT_NODE) {
    if (now.data !== then.data) now.data = then.data;
    return;
  }
  const before = declared(now), after = declared(then);
  const typed = now.nodeName === "SELECT" ? now.value : null;
  for (const { name, value } of then.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  for (const { name } of [...now.attributes]) {
    if (then.hasAttribute(name) || name === "style" || (name === "open" && now.nodeName === "DETAILS")) continue; // a person opened it
    now.removeAttribute(name);
  }
  for (const type of now[LISTENERS]?.keys() ?? []) if (!then[LISTENERS]?.has(type)) now[LISTENERS].set(type, null);
  for (const [type, listener] of then[LISTENERS] ?? []) listen(now, type, listener);
  if (now[OWN]) return;
  if (now.nodeName !== "TEXTAREA") reconcile(now, [...then.childNodes]);
  if (before !== after && document.activeElement !== now) declare(now, after); // what the view says has changed
  else if (typed !== null && now.value !== typed && [...now.options].some((each) => each.value === typed)) now.value = typed;
};

/** Give *node* a text, unless it has it: what is written again is laid out again. @param {Node} node @param {string} text */
export const say = (node, text) => {
  const only = /** @type {any} */ (node.firstChild);
  if (text && only?.nodeType === Node.TEXT_NODE && !only.nextSibling) {
    if (only.data !== text) only.data = text; // the node of the text stays: nothing is made
  } else if (node.textContent !== text) node.textContent = text;
};

/** Give *node* attributes, unless it has them: what is written again is laid out again. @param {Element} node @param {Record<string, string>} attributes */
export const put = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
};

/** Give *node* the focus, if what had it is gone: who plays by keys goes on from there. @param {HTMLElement} node */
export const stay = (node) => {
  if (document.activeElement && document.activeElement !== document.body) return;
  if (!node.hasAttribute("tabindex")) node.tabIndex = -1;
  node.focus({ preventScroll: true });
};

/** Return a button. @param {string} text @param {(event: MouseEvent & Of) => unknown} onclick @param {Attributes} [attributes] */
export const button = (text, onclick, attributes = {}) => html("button", { type: "button", onclick, ...attributes }, text);

/** Return words for a name of the API: `grant_priority` is `grant priority`. @param {string} name */
export const words = (name) => String(name).replaceAll("_", " ");

/** Return what went wrong, for people. @param {any} fault @returns {string} */
export const faultText = (fault) => fault.detail ?? fault.message;

/** Return a text with a capital. @param {string} text */
export const capital = (text) => (text.charAt(0).toUpperCase() + text.slice(1)).replace(/^Gm\b/, "GM");

// Make a form of a JSON Schema. The value is the owner's: a field reads it, and says what a person changed.
//
// Nothing here knows what a field means. A fault is shown at its field, by its JSON pointer.

import { button, capital, html, words } from "./dom.mjs";

/** @typedef {Record<string, any>} Json a schema, or an object that is written by one */
/** @typedef {{id: string, name: string, isRequired: boolean, fault?: string, hasNote: boolean}} About what a control is told of its field */
/** @typedef {{nodes: any, isGroup?: boolean, isCheck?: boolean}} Control its nodes; `isGroup`: they are several fields, `isCheck`: a box beside its title */
/**
 * @typedef {object} Form
 * @property {Json} root the schema in whose `$defs` references are found
 * @property {(path: (string | number)[], value: any) => void} set takes what a person changed
 * @property {Map<string, string>} [faults] what is wrong, by JSON pointer
 * @property {(name: string) => [any, string][] | undefined} [known] the values that a field may have, each with its text
 * @property {(name: string) => [string, string][] | undefined} [listed] the values that a list may have, each with its text
 * @property {(path: (string | number)[]) => void} [point] has a person click a cell on the map
 * @property {string} [id] what ids of controls begin with
 */

const FEW = 60; // characters of a text that fits on a line
const SHORT = 24; // characters of a note that adds nothing to its title
const MANY = 12; // fields of an object that are shown at once

/** Return the schema that a reference leads to. @param {Json} schema @param {Json} root @returns {Json} */
export const resolved = (schema, root) => {
  if (schema.$ref) return resolved({ ...root.$defs?.[schema.$ref.split("/").at(-1)], ...(schema.description ? { description: schema.description } : {}), ...(schema.title ? { title: schema.title } : {}) }, root);
  if (schema.allOf?.length === 1) return resolved({ ...schema.allOf[0], ...(schema.title ? { title: schema.title } : {}) }, root);
  return schema;
};

/** Return whether the values of a schema are cells: they can be clicked. @param {Json} schema */
const isCell = ({ type, minItems, maxItems, items }) => type === "array" && minItems === 2 && maxItems === 2 && items?.type === "integer";

/** Return a schema without null, and whether null is one of its values; of several ways that of the value, else the one that a person can click. @param {Json} schema @param {Json} root @param {any} [value] @returns {[Json, boolean]} */
const without = (schema, root, value) => {
  const found = resolved(schema, root);
  if (found.anyOf) {
    const ways = found.anyOf.filter((/** @type {Json} */ each) => each.type !== "null").map((/** @type {Json} */ each) => resolved(each, root));
    const hasNull = ways.length < found.anyOf.length;
    const type = Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;
    return [{ ...(ways.find((/** @type {Json} */ each) => each.type === type) ?? ways.find(isCell) ?? ways.find((/** @type {Json} */ each) => each.type) ?? ways[0]), ...(found.description ? { description: found.description } : {}), ...(found.title ? { title: found.title } : {}) }, hasNull];
  }
  if (Array.isArray(found.type)) return [{ ...found, type: found.type.find((/** @type {string} */ each) => each !== "null") }, found.type.includes("null")];
  if (found.enum?.includes(null)) return [{ ...found, enum: found.enum.filter((/** @type {unknown} */ each) => each !== null) }, true];
  return [found, false];
};

/** Return the least value of a schema, as a form begins with it. @param {Json} schema @param {Json} root @returns {any} */
export const blankOf = (schema, root) => {
  const [found, isNullable] = without(schema, root);
  if ("default" in schema) return structuredClone(schema.default);
  if ("default" in found) return structuredClone(found.default);
  if (isNullable) return null;
  if ("const" in found) return found.const;
  if (found.enum) return found.enum[0];
  if (found.oneOf) return blankOf(found.oneOf[0], root);
  if (found.type === "object" && found.properties) {
    return Object.fromEntries((found.required ?? []).map((/** @type {string} */ name) => [name, blankOf(found.properties[name], root)]));
  }
  if (found.type === "array") return found.minItems && found.minItems === found.maxItems ? Array.from({ length: found.minItems }, () => blankOf(found.items ?? {}, root)) : [];
  /** @type {Json} */
  const least = { object: {}, boolean: false, string: "", integer: found.minimum > 0 ? found.minimum : 0 };
  return least[found.type] ?? null;
};

/** Return the blank of *way* with what *value*, of *before*, already says in fields that both have. @param {Json} way @param {Json} before @param {Json} value @param {string} tag @param {Json} root @returns {Json} */
const begunAs = (way, before, value, tag, root) => {
  const kept = Object.entries(value).filter(([name, part]) => {
    const [now, then] = [way, before].map((each) => each.properties[name] && resolved(each.properties[name], root));
    return name !== tag && part !== null && now && then && now.type === then.type && now.pattern === then.pattern && now.maximum === then.maximum;
  });
  return { ...blankOf(way, root), ...Object.fromEntries(kept) };
};

/** Return *value* with the part at *path* replaced; undefined takes it out. @param {any} value @param {(string | number)[]} path @param {any} part @returns {any} */
export const withPart = (value, [first, ...rest], part) => {
  if (first === undefined) return part;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const inner = rest.length ? withPart(copy[first] ?? (typeof rest[0] === "number" ? [] : {}), rest, part) : part;
  if (inner === undefined && Array.isArray(copy)) copy.splice(Number(first), 1);
  else if (inner === undefined) delete copy[first];
  else copy[first] = inner;
  return copy;
};

/** Return the JSON pointer of a path. @param {(string | number)[]} path */
export const pointerOf = (path) => path.map((each) => `/${String(each).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/**
 * Return the field of a value.
 * @param {Form} form @param {Json} schema @param {any} value @param {(string | number)[]} path @param {boolean} [isRequired] @returns {HTMLElement}
 */
export const fieldOf = (form, schema, value, path, isRequired = true) => {
  const [found, isNullable] = without(schema, form.root, value);
  const name = String(path.findLast((each) => typeof each === "string") ?? "");
  const title = schema.title ?? found.title ?? capital(words(name));
  const id = `${form.id ?? "f"}-${path.join("-")}`;
  const pointer = pointerOf(path);
  const fault = form.faults?.get(pointer);
  const said = (schema.description ?? found.description)?.replaceAll("\x60", "");
  const note = said && (said.length > SHORT || found.type === "array") ? said : null; // a shorter one says what the title says
  const mayLack = (isNullable || !isRequired) && Boolean(found.properties || found.oneOf);
  const lacks = mayLack && (value === null || value === undefined); // its own fields are not asked for before somebody wants it
  const control = lacks ? { isGroup: true, nodes: button("Add it", () => form.set(path, blankOf(found, form.root)), { id, class: "add" }) } : controlOf(form, found, value, path, { id, name, isRequired: isRequired && !isNullable, fault, hasNote: Boolean(note) });
  const told = [note && html("p", { id: `${id}-note`, class: "soft small note" }, note), fault && html("p", { id: `${id}-fault`, class: "fault small", role: "alert" }, fault)];
  if (control.isGroup) return html("fieldset", { class: "field", key: pointer, "data-field": pointer }, html("legend", {}, title), told, control.nodes,
    mayLack && !lacks && button("Leave it out", () => form.set(path, isNullable ? null : undefined), { class: "quiet" }));
  if (control.isCheck) return html("div", { class: "field check", key: pointer, "data-field": pointer }, html("label", { for: id }, control.nodes, html("span", {}, title)), told);
  return html("div", { class: "field", key: pointer, "data-field": pointer }, html("label", { for: id }, title), control.nodes, told);
};

/** @param {Form} form @param {Json} found @param {any} value @param {(string | number)[]} path @param {About} about @returns {Control} */
const controlOf = (form, found, value, path, about) => {
  const { id, name, isRequired, fault, hasNote } = about;
  const given = { id, name: id, "aria-invalid": fault ? "true" : null, "aria-describedby": [hasNote && `${id}-note`, fault && `${id}-fault`].filter(Boolean).join(" ") || null, required: isRequired };
  /** @type {[any, string][] | undefined} */
  const known = form.known?.(name) ?? found.enum?.map((/** @type {unknown} */ each) => [each, words(String(each))]);
  if (known) {
    const isGiven = value !== null && value !== undefined && value !== "";
    const unknown = isGiven && !known.some(([each]) => each === value) ? [[value, words(String(value))]] : []; // what is shown is what is sent
    const none = isRequired && isGiven ? [] : [[null, isRequired ? "choose" : "none"]];
    const all = [...none, ...unknown, ...known.filter(([each]) => each !== null)];
    return { nodes: html("select", { ...given, onchange: (event) => form.set(path, all[event.target.selectedIndex][0] ?? (isRequired ? undefined : null)) },
      all.map(([each, text], index) => html("option", { key: index, value: String(each), selected: each === (isGiven ? value : null) }, text))) };
  }
  if (found.type === "boolean") return { isCheck: true, nodes: html("input", { ...given, required: false, type: "checkbox", checked: value === true, onchange: (event) => form.set(path, event.target.checked) }) };
  if (found.type === "integer") {
    return { nodes: html("input", { ...given, type: "number", step: 1, inputmode: "numeric", min: found.minimum > -1e9 ? found.minimum : null, max: found.maximum < 1e9 ? found.maximum : null, value: value ?? "",
      oninput: (event) => form.set(path, event.target.value === "" ? (isRequired ? undefined : null) : Number(event.target.value)) }) };
  }
  if (found.type === "array") return listOf(form, found, value, path, about);
  if (found.type === "object" || found.oneOf) return groupOf(form, found, value, path, about);
  const isLong = (found.maxLength ?? 0) > FEW && found.pattern?.includes("\\x0b");
  return { nodes: html(isLong ? "textarea" : "input", { ...given, ...(isLong ? { rows: 2 } : { type: "text", value: value ?? "" }), minlength: found.minLength, maxlength: found.maxLength, autocomplete: "off",
    oninput: (event) => form.set(path, event.target.value === "" && !isRequired ? null : event.target.value) }, isLong ? value ?? "" : null) };
};

/** @param {Form} form @param {Json} found @param {any} value @param {(string | number)[]} path @param {About} about @returns {Control} */
const listOf = (form, found, value, path, { id, name }) => {
  /** @type {any[]} */
  const items = value ?? [];
  const each = resolved(found.items ?? {}, form.root);
  /** @type {[string, string][] | undefined} */
  const listed = form.listed?.(name) ?? (each.enum?.some(Number.isInteger) ? undefined : each.enum?.map((/** @type {string} */ one) => [one, words(String(one))])); // of numbers, as of dice, there may be two of one kind
  if (listed && !found.prefixItems) {
    return { isGroup: true, nodes: html("div", { class: "row wrap" }, listed.map(([one, text], index) => html("label", { class: "tick-box" },
      html("input", { type: "checkbox", id: `${id}-${index}`, checked: items.includes(one), onchange: (event) => form.set(path, event.target.checked ? [...items, one] : items.filter((other) => other !== one)) }), html("span", {}, text)))) };
  }
  if (isCell({ ...found, items: each })) {
    const part = (/** @type {number} */ index, /** @type {string} */ text) => html("input", { id: index ? `${id}-y` : id, type: "number", step: 1, "aria-label": text, value: items[index] ?? "", oninput: (event) => form.set(path, [0, 1].map((at) => (at === index ? Number(event.target.value) : items[at] ?? 0))) });
    const { point } = form;
    return { nodes: html("div", { class: "row" }, part(0, "across"), part(1, "down"), point && button("Click on the map", () => point(path))) };
  }
  const rows = items.map((item, index) => html("div", { class: "list-item", key: index }, fieldOf(form, { ...each, title: each.title ?? `${capital(words(name)).replace(/s$/, "")} ${index + 1}` }, item, [...path, index]),
    button("Take out", () => form.set([...path, index], undefined), { class: "quiet", "aria-label": `Take out ${words(name)} ${index + 1}` })));
  return { isGroup: true, nodes: [rows, button(items.length ? "One more" : "Add one", () => form.set([...path, items.length], blankOf(each, form.root)), { id, class: "add" })] };
};

/** @param {Form} form @param {Json} found @param {any} value @param {(string | number)[]} path @param {{id: string}} about @returns {Control} */
const groupOf = (form, found, value, path, { id }) => {
  if (found.oneOf) {
    const tag = found.discriminator?.propertyName ?? "kind";
    /** @type {Json[]} */
    const ways = found.oneOf.map((/** @type {Json} */ each) => resolved(each, form.root));
    const kinds = ways.map((each) => each.properties[tag].const);
    const open = ways[Math.max(0, kinds.indexOf(value?.[tag]))];
    const pick = html("select", { id, "aria-label": capital(words(tag)), onchange: (event) => form.set(path, begunAs(ways[event.target.selectedIndex], open, value ?? {}, tag, form.root)) },
      kinds.map((kind, index) => html("option", { key: kind, value: kind, selected: ways[index] === open, title: ways[index].description }, words(kind))));
    return { isGroup: true, nodes: [pick, open.description && html("p", { class: "soft small note" }, open.description.replaceAll("\x60", "")), fieldsOf(form, open, value ?? {}, path, (name) => name !== tag)] };
  }
  if (found.properties) return { isGroup: true, nodes: fieldsOf(form, found, value ?? {}, path) };
  const names = Object.entries(value ?? {});
  const inner = typeof found.additionalProperties === "object" ? found.additionalProperties : {};
  return { isGroup: true, nodes: [names.map(([name, each]) => html("div", { class: "list-item", key: name }, fieldOf(form, { title: words(name), ...resolved(inner, form.root) }, each, [...path, name]), button("Take out", () => form.set([...path, name], undefined), { class: "quiet" }))),
    html("div", { class: "row" }, html("input", { id, type: "text", "aria-label": "Name", autocomplete: "off" }), button("Add", (event) => {
      const field = /** @type {any} */ (event.currentTarget).previousElementSibling;
      if (field.value) form.set([...path, field.value], blankOf(inner, form.root));
      field.value = "";
    }))] };
};

/**
 * Return the fields of an object: those that must be given and the first ones, and the others behind a click.
 * @param {Form} form @param {Json} schema @param {Json} value @param {(string | number)[]} path @param {(name: string) => boolean} [isShown]
 */
export const fieldsOf = (form, schema, value, path, isShown = () => true) => {
  const needed = new Set(schema.required ?? []);
  const all = Object.entries(schema.properties ?? {}).filter(([name, each]) => isShown(name) && !("const" in resolved(each, form.root)));
  const made = (/** @type {[string, Json]} */ [name, each]) => fieldOf(form, each, value?.[name], [...path, name], needed.has(name));
  const first = all.filter(([name]) => needed.has(name)), rest = all.filter(([name]) => !needed.has(name));
  if (rest.length <= MANY - first.length || rest.length <= 3) return [first.map(made), rest.map(made)];
  const shown = Math.max(0, MANY - first.length);
  return [first.map(made), rest.slice(0, shown).map(made), html("details", { key: `more ${path.join("/")}` }, html("summary", {}, "More"), rest.slice(shown).map(made))];
};

/** Return faults by pointer, of a problem document. @param {any} fault @param {string} [below] the pointer that is left out @returns {Map<string, string>} */
export const faultsOf = (fault, below = "") => new Map((fault.data?.errors ?? []).map((/** @type {Json} */ each) => [String(each.pointer ?? each.location ?? "").replace(/^#/, "").slice(below.length), each.detail ?? each.message ?? ""]));

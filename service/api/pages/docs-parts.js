// Draw the parts of the documentation: texts, types, tables and examples.

export const REFERENCE = "/docs/api";
const COMPONENTS = "#/components/schemas/";

export const html = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
};

// The texts use only this markup: `code`, **strong** and [links](to).
export const marked = (text) => {
  const nodes = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((\/[^)]*|#[^)]*)\)/g;
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    nodes.push(text.slice(end, found.index));
    if (found[1]) nodes.push(html("code", {}, found[1]));
    else if (found[2]) nodes.push(html("strong", {}, found[2]));
    else nodes.push(html("a", { href: found[4] }, found[3]));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)];
};

export const paragraphs = (text) =>
  (text || "").split(/\n\s*\n/).filter((part) => part.trim())
    .map((part) => html("p", {}, marked(part.replace(/\s*\n\s*/g, " "))));

export const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);
export const anchor = (name) => `schema-${name}`;

export const typed = (schema) => {
  if (schema === true || schema === undefined || Object.keys(schema).length === 0) return ["any"];
  if (schema.$ref) return [html("a", { href: `#${anchor(nameOf(schema.$ref))}` }, nameOf(schema.$ref))];
  if ("const" in schema) return [JSON.stringify(schema.const)];
  if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(" | ")];
  const any = schema.anyOf || schema.oneOf || schema.allOf;
  if (any) return any.flatMap((each, i) => (i ? [" | ", ...typed(each)] : typed(each)));
  const kind = [schema.type].flat().join(" | ");
  if (kind.startsWith("array")) {
    if (schema.prefixItems) return ["[", ...schema.prefixItems.flatMap((each, i) => (i ? [", ", ...typed(each)] : typed(each))), "]"];
    return ["list of ", ...typed(schema.items)];
  }
  if (schema.type === "object" && schema.additionalProperties && schema.additionalProperties !== true && !schema.properties)
    return ["object of ", ...typed(schema.additionalProperties)];
  return [schema.format ? `${kind} (${schema.format})` : kind || "any"];
};

const bounds = (schema) => {
  const said = [];
  if (schema.minimum !== undefined && Math.abs(schema.minimum) < 2 ** 50) said.push(`≥ ${schema.minimum}`);
  if (schema.maximum !== undefined && schema.maximum < 2 ** 50) said.push(`≤ ${schema.maximum}`);
  if (schema.pattern) said.push(schema.pattern);
  return said.length ? html("span", { class: "type" }, ` ${said.join(", ")}`) : null;
};

export const table = (rows, kind = "") => html("table", kind ? { class: kind } : {}, html("tbody", {}, rows));

export const row = (name, schema, required, text) => html("tr", {},
  html("th", { scope: "row" }, html("code", {}, name), required ? html("span", { class: "required" }, " required") : null),
  html("td", {}, html("span", { class: "type" }, ...typed(schema)), bounds(schema),
    text ? html("div", {}, marked(text)) : null));

// A text that may scroll, which the keyboard reaches too.
export const code = (text, label) => html("pre", { tabindex: "0", role: "group", "aria-label": label }, html("code", {}, text));

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

// Draws examples when they are opened: they are half of what an operation has to show.
export const examples = (content, components) => Object.values(content?.examples ?? {}).map((each) => {
  const found = each.$ref ? components.examples[nameOf(each.$ref)] : each;
  const said = found.summary ?? `${found.value.title}: ${found.value.detail}`;
  return folded("example", [html("span", {}, "Example: "), html("code", {}, said)], () => [code(shown(found.value), `Example: ${said}`)]);
});

// A part whose body is drawn when it is opened for the first time.
export const folded = (kind, head, draw) => {
  const part = html("details", { class: kind }, html("summary", {}, head));
  part.addEventListener("toggle", () => { if (part.open && part.childElementCount === 1) part.append(html("div", { class: "body" }, draw())); });
  part.unfold = () => {
    if (part.childElementCount === 1) part.append(html("div", { class: "body" }, draw()));
    part.open = true;
  };
  return part;
};

export const status = (code_) => html("span", { class: `status s${String(code_)[0]}` }, String(code_));

export const resolved = (schema, components) =>
  schema?.$ref?.startsWith(COMPONENTS) ? components.schemas[nameOf(schema.$ref)] : schema;

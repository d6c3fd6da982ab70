// Render the OpenAPI document: all content is read from /openapi.json and /problems.

const METHODS = new Set(["get", "post", "patch", "delete"]);
const COMPONENTS = "#/components/schemas/";

const html = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
};

// The texts use only this markup: `code`, **strong** and [links](to).
const marked = (text) => {
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

const paragraphs = (text) =>
  (text || "").split(/\n\s*\n/).filter((part) => part.trim())
    .map((part) => html("p", {}, marked(part.replace(/\s*\n\s*/g, " "))));

const anchor = (name) => `schema-${name}`;

const typed = (schema) => {
  if (schema === true || schema === undefined || Object.keys(schema).length === 0) return ["any"];
  if (schema.$ref) {
    const name = schema.$ref.replace(COMPONENTS, "");
    return [html("a", { href: `#${anchor(name)}` }, name)];
  }
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

const row = (name, schema, required, text) => html("tr", {},
  html("td", {}, html("code", {}, name), required ? html("span", { class: "required" }, " required") : null),
  html("td", {}, html("span", { class: "type" }, ...typed(schema)), bounds(schema),
    text ? html("div", {}, marked(text)) : null));

const properties = (schema) => html("table", {}, html("tbody", {},
  Object.entries(schema.properties || {}).map(([name, each]) =>
    row(name, each, (schema.required || []).includes(name), each.description))));

const card = (id, head, ...body) => html("article", { id },
  html("details", {}, html("summary", {}, head), html("div", { class: "body" }, body)));

const contents = (content) => Object.entries(content || {}).map(([kind, { schema }]) =>
  html("span", {}, html("span", { class: "type" }, schema ? typed(schema) : kind)));

const operationCard = (path, method, operation) => {
  const head = html("div", { class: "opened" },
    html("span", { class: `method ${method}` }, method.toUpperCase()),
    html("span", { class: "path" }, path),
    html("span", { class: "who" }, operation.security?.length ? "" : "public"),
    html("span", { class: "summary" }, marked(operation.summary)));
  const body = [...paragraphs(operation.description)];
  if (operation.parameters) body.push(html("h3", {}, "Parameters"), html("table", {}, html("tbody", {},
    operation.parameters.map((each) =>
      row(each.in === "path" ? `{${each.name}}` : each.in === "query" ? `?${each.name}` : each.name,
        each.schema, each.required, each.description)))));
  if (operation.requestBody) body.push(html("h3", {}, "Body"), html("p", {}, contents(operation.requestBody.content)));
  body.push(html("h3", {}, "Answers"), html("table", {}, html("tbody", {},
    Object.entries(operation.responses).map(([status, each]) => html("tr", {},
      html("td", {}, html("span", { class: `status s${status[0]}` }, status)),
      html("td", {}, ...marked(each.description), " ", ...contents(each.content)))))));
  return card(operation.operationId, head, ...body);
};

const schemaCard = (name, schema) => {
  const choices = schema.oneOf || schema.anyOf;
  const head = html("div", { class: "opened" }, html("span", { class: "path" }, name),
    html("span", { class: "summary" }, marked(schema.description || "")));
  const body = choices
    ? html("p", {}, choices.flatMap((each) => [...typed(each), html("br")]))
    : schema.properties ? properties(schema) : html("p", { class: "type" }, ...typed(schema));
  return card(anchor(name), head, body);
};

// A minimal opening: fields that a sheet omits have their defaults.
const OPENING = `{"edition": "rise@1", "creatures": [
  {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
  {"position": [1, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes"}}]}`;

const curl = () => {
  const here = location.origin;
  const json = `-H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json"`;
  const lines = [
    ["Open an encounter with a key that `rewound keys create` printed. The answer has its id in `encounter`, here `$ID`:",
      `curl -s ${here}/v1/encounters ${json} -d '${OPENING}'`],
    ["List the legal commands:",
      `curl -s ${here}/v1/encounters/$ID/options -H "Authorization: Bearer $KEY"`],
    ["Send one of them, and get its outcome:",
      `curl -s ${here}/v1/encounters/$ID/commands ${json} -d '{"type": "start_combat"}'`],
  ];
  return lines.map(([text, line]) => {
    const button = html("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    });
    return html("div", {}, html("p", {}, marked(text)), html("div", { class: "curl" }, html("pre", {}, html("code", {}, line)), button));
  });
};

const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target?.querySelector("details");
  if (details) details.open = true;
  target?.scrollIntoView();
  for (const link of document.querySelectorAll("nav a.op")) link.classList.toggle("here", link.hash === location.hash);
};

const searchable = () => {
  const links = [...document.querySelectorAll("nav a.op")];
  const cards = [...document.querySelectorAll("main article")];
  const texts = new Map(cards.map((each) => [each, each.textContent.toLowerCase()]));
  const input = document.getElementById("search");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (text) => words.every((word) => text.includes(word));
    for (const each of cards) each.classList.toggle("hidden", !fits(texts.get(each)));
    for (const link of links) {
      const shown = document.getElementById(link.hash.slice(1));
      link.classList.toggle("hidden", !shown || shown.classList.contains("hidden"));
    }
    for (const group of document.querySelectorAll("main section.tag, nav .group"))
      group.classList.toggle("hidden", !group.querySelector("article:not(.hidden), a.op:not(.hidden)"));
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });
};

const draw = (contract) => {
  document.getElementById("intro").append(...paragraphs(contract.info.description));
  document.getElementById("curl").append(...curl());
  const operations = document.getElementById("operations");
  const index = document.getElementById("index");
  operations.replaceChildren();
  const all = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.keys(item).filter((method) => METHODS.has(method)).map((method) => [path, method, item[method]]));
  for (const { name } of contract.tags) {
    const mine = all.filter(([, , operation]) => operation.tags.includes(name));
    operations.append(html("section", { class: "tag" }, html("h2", {}, name), mine.map((each) => operationCard(...each))));
    index.append(html("div", { class: "group" }, html("h4", {}, name), mine.map(([, method, operation]) =>
      html("a", { class: "op", href: `#${operation.operationId}` },
        html("span", { class: `method ${method}` }, method === "delete" ? "DEL" : method.toUpperCase()),
        html("span", {}, marked(operation.summary))))));
  }
  const schemas = Object.entries(contract.components.schemas);
  document.getElementById("schema-list").append(...schemas.map((each) => schemaCard(...each)));
};

const drawProblems = ({ problems }) => {
  document.getElementById("problem-list").append(html("table", {}, html("tbody", {}, problems.map((each) =>
    html("tr", {}, html("td", {}, html("span", { class: `status s${String(each.status)[0]}` }, String(each.status))),
      html("td", {}, html("a", { href: each.type }, each.title), html("div", {}, marked(each.text))))))));
};

const read = async (address) => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
};

try {
  const [contract, problems] = await Promise.all([read("/openapi.json"), read("/problems")]);
  draw(contract);
  drawProblems(problems);
  searchable();
  addEventListener("hashchange", openTarget);
  openTarget();
} catch (fault) {
  document.getElementById("operations").replaceChildren(html("p", {}, `The API description could not be loaded: ${fault.message}`));
}

// Render the OpenAPI document: all content is read from /openapi.json, /problems and /v1/rulesets.
//
// What is long is drawn when somebody opens it: bodies of operations, examples, schemas, rules.

import { anchor, code, examples, folded, html, marked, nameOf, paragraphs, resolved, row, status, table, typed } from "./docs-parts.js";
import { read, readRules, searchBox } from "./search-box.js";

const METHODS = new Set(["get", "post", "patch", "delete"]);
const WIDE = matchMedia("(min-width: 50.01rem)");
const at = (id) => document.getElementById(id);
let components;

const contents = (content) => Object.entries(content || {}).map(([kind, { schema }]) =>
  html("span", { class: "type" }, schema ? typed(schema) : kind, " "));

const rows = (schema) => Object.entries(schema.properties || {}).map(([name, each]) =>
  row(name, each, (schema.required || []).includes(name), each.description));

const operationBody = (operation) => {
  const body = [...paragraphs(operation.description)];
  if (operation.parameters) body.push(html("h3", {}, "Parameters"), table(operation.parameters.map((each) =>
    row(each.in === "path" ? `{${each.name}}` : each.in === "query" ? `?${each.name}` : each.name, each.schema, each.required, each.description))));
  const sent = operation.requestBody?.content ?? {};
  if (operation.requestBody) body.push(html("h3", {}, "Body"), html("p", {}, contents(sent)));
  for (const content of Object.values(sent)) {
    const schema = resolved(content.schema, components);
    if (schema?.properties) body.push(table(rows(schema)));
    body.push(...examples(content, components));
  }
  body.push(html("h3", {}, "Answers"), table(Object.entries(operation.responses).map(([code_, found]) => [code_, found.$ref ? components.responses[nameOf(found.$ref)] : found]).map(([code_, each]) => html("tr", {},
    html("th", { scope: "row" }, status(code_)),
    html("td", {}, ...marked(each.description), " ", ...contents(each.content),
      ...Object.values(each.content ?? {}).flatMap((content) => examples(content, components))))), "statuses"));
  return body;
};

const operationCard = (path, method, operation) => html("article", { id: operation.operationId },
  folded("card", html("div", { class: "opened" },
    html("span", { class: `method ${method}` }, method.toUpperCase()),
    html("span", { class: "path" }, path),
    html("span", { class: "who" }, operation.security?.length ? "" : "public"),
    html("span", { class: "summary" }, marked(operation.summary))), () => operationBody(operation)));

const schemaCard = (name) => {
  const schema = components.schemas[name];
  return html("article", { id: anchor(name) }, folded("card", html("div", { class: "opened" },
    html("span", { class: "path" }, name), html("span", { class: "summary" }, marked(schema.description || ""))), () => {
    const choices = schema.oneOf || schema.anyOf;
    const body = choices ? html("ul", { class: "choices" }, choices.map((each) => html("li", { class: "type" }, typed(each))))
      : schema.properties ? table(rows(schema)) : html("p", { class: "type" }, ...typed(schema));
    return [body, ...(schema.examples ?? []).map((each) => code(JSON.stringify(each, null, 2), `Example of ${name}`))];
  }));
};

const ruleCard = (rule) => html("article", { id: `rule-${rule.id}` }, html("div", { class: "opened" },
  html("span", { class: "path" }, rule.id), html("span", { class: "summary" }, rule.statement),
  html("span", { class: "summary" }, rule.source)));

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
  return lines.map(([text, line], i) => {
    const button = html("button", { type: "button", "aria-label": `Copy command ${i + 1}` }, "Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    });
    return html("div", {}, html("p", {}, marked(text)), html("div", { class: "curl" }, code(line, `Command ${i + 1}`), button));
  });
};

// --- addresses within the page ------------------------------------------------------------------------------

const drawn = async (id) => {
  if (at(id)) return at(id);
  if (id.startsWith("schema-") && components.schemas[id.slice(7)]) at("schema-list").prepend(schemaCard(id.slice(7)));
  if (id.startsWith("rule-")) {
    const rule = (await readRules()).flatMap((each) => each.rules).find((each) => `rule-${each.id}` === id);
    if (rule) at("rule-list").prepend(ruleCard(rule));
    at("rules").hidden = at("rule-list").childElementCount === 0;
  }
  return at(id);
};

const openTarget = async () => {
  const target = await drawn(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.querySelector("details.card")?.unfold();
  if (target.matches("article")) (target.querySelector("summary") ?? target).focus?.({ preventScroll: true });
  target.scrollIntoView();
  for (const link of document.querySelectorAll("nav a.op")) link.classList.toggle("here", link.hash === location.hash);
};

// --- the whole ----------------------------------------------------------------------------------------------

const draw = (contract) => {
  components = contract.components;
  at("intro").append(...paragraphs(contract.info.description));
  at("curl").append(...curl());
  at("operations").replaceChildren();
  const all = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.keys(item).filter((method) => METHODS.has(method)).map((method) => [path, method, item[method]]));
  for (const { name } of contract.tags) {
    const mine = all.filter(([, , operation]) => operation.tags.includes(name));
    at("operations").append(html("section", { class: "tag" }, html("h2", {}, name), mine.map((each) => operationCard(...each))));
    at("index").append(html("div", { class: "group" }, html("h3", {}, name), mine.map(([, method, operation]) =>
      html("a", { class: "op", href: `#${operation.operationId}` },
        html("span", { class: `method ${method}` }, method === "delete" ? "DEL" : method.toUpperCase()),
        html("span", {}, marked(operation.summary))))));
  }
  const names = Object.keys(components.schemas);
  at("schema-count").textContent = `The contract has ${names.length} schemas. Search for one by its name or by a field, or follow a link to it.`;
  at("schema-list").append(folded("all", "All schemas", () => [html("ul", { class: "names" }, names.map((name) =>
    html("li", {}, html("a", { href: `#${anchor(name)}` }, name))))]));
};

const drawProblems = ({ problems }) => {
  at("problem-list").append(table(problems.map((each) => html("tr", {}, html("th", { scope: "row" }, status(each.status)),
    html("td", {}, html("a", { href: each.type }, each.title), html("div", {}, marked(each.text))))), "statuses"));
};

at("contents").open = WIDE.matches;
try {
  const [contract, problems] = await Promise.all([read("/openapi.json"), read("/problems")]);
  draw(contract);
  drawProblems(problems);
  searchBox(async () => contract, async () => problems);
  addEventListener("hashchange", openTarget);
  await openTarget();
} catch (fault) {
  at("operations").replaceChildren(html("p", {}, `The API description could not be loaded: ${fault.message}`));
}

// Follow a Rewound encounter in Foundry's chat, and send what its options offer.
//
// The service must list Foundry's origin (REWOUND_CORS_ORIGINS), or the reverse proxy in front of Foundry forwards
// /v1/ to it. Each player stores a seat token in their own client settings; nobody else's browser sees it.

const ID = "rewound";
const RETRY_MS = 3000;
const AGAIN = [429, 503, 504];
const TRIES = 6;
/** The seat as which the module reads what it shows to all: the GM's own view has what is secret. */
const OBSERVER = "foundry";

const setting = (name) => game.settings.get(ID, name).trim();
const here = () => `${setting("address") || window.location.origin}/v1/encounters/${setting("encounter")}`;
const escaped = (text) => String(text).replace(/[&<>"']/gu, (c) => `&#${c.charCodeAt(0)};`);
const words = (type) => escaped(type.replaceAll("_", " "));
// Not crypto.randomUUID: browsers have it on https and localhost alone, and many tables play over plain http.
const newKey = () => foundry.utils.randomID(32);

/** Ask the service, as this player's seat unless a token is given; a problem document becomes an Error with its fields. */
export async function ask(method, path, data, token = setting("token")) {
  const headers = { Authorization: `Bearer ${token}`, Prefer: "wait=10" };
  if (method !== "GET") headers["Idempotency-Key"] = `"${newKey()}"`;
  if (data !== undefined) headers["Content-Type"] = "application/json";
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(here() + path, { method, headers, body: data && JSON.stringify(data) }).catch(() => null);
    if ((answer === null || AGAIN.includes(answer.status)) && attempt < TRIES) {
      const seconds = Number(answer?.headers.get("Retry-After")) || 0.1 * 2 ** attempt;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      continue; // the same key: it happens once
    }
    if (answer === null) throw new Error("Rewound does not answer");
    const read = await answer.json().catch(() => ({ title: answer.status, detail: "the answer is not from Rewound" }));
    if (!answer.ok) throw Object.assign(new Error(`${read.title}: ${read.detail}`), read);
    return read;
  }
}

// --- following ----------------------------------------------------------------------------------------------

/** Return the last posted commit of this encounter: `n` and its line of play; null if there is none. */
const lastPosted = () => {
  const last = game.settings.get(ID, "last");
  return last.encounter === setting("encounter") ? last : null;
};
const line = () => lastPosted()?.line ?? setting("encounter");
const remember = (n, onward = line()) => game.settings.set(ID, "last", { encounter: setting("encounter"), line: onward, n });

/** Continue in the new line of play after an undo; commits that it repeats are not posted again. The stream ends here. */
async function postContinued({ line: onward, n, origin }) {
  await ChatMessage.create({ speaker: { alias: "Rewound" }, content: `<p>The fight goes on from commit ${origin.n}.</p>` });
  await moveTokens();
  await remember(n, onward);
}

/** Post what one commit says in the chat. The rules stand in its title, which appears under the pointer. */
async function postCommit({ n, commit, text }) {
  const { events = [] } = JSON.parse(commit);
  const rules = [...new Set(events.flatMap(({ because = [] }) => because))].join(", ");
  const lines = text.map((sentence) => `<p>${escaped(sentence)}</p>`);
  if (lines.length) {
    await ChatMessage.create({ speaker: { alias: "Rewound" }, content: `<div title="${n}: ${escaped(rules)}">${lines.join("")}</div>` });
  }
  await moveTokens();
  await remember(n); // after the message: a crash may repeat the message, but never lose it
}

/** Move the tokens of the shown scene that bear a creature's name to where the fight has it; a cell is one square. */
async function moveTokens() {
  const { creatures } = await ask("GET", "/creatures", undefined, await observerToken());
  const places = new Map(creatures.filter(({ position }) => position).map(({ name, position }) => [name, position]));
  const { tokens = [], grid } = canvas?.scene ?? {};
  const moves = [...tokens].filter(({ name }) => places.has(name)).map(({ id, name, x, y }) => {
    const [column, row] = places.get(name);
    const to = { _id: id, x: column * grid.size, y: row * grid.size };
    return to.x === x && to.y === y ? null : to;
  }).filter(Boolean);
  if (moves.length) await canvas.scene.updateEmbeddedDocuments("Token", moves);
}

let observer = null;

/** Return a token of the observer's seat, which the GM's token opens if it is not there yet. */
async function observerToken() {
  if (observer !== null) return observer;
  const { seats } = await ask("GET", "/seats");
  const isOpen = seats.some(({ seat }) => seat === OBSERVER);
  const { token } = await (isOpen ? ask("POST", `/seats/${OBSERVER}/token`, {}) : ask("POST", "/seats", { seat: OBSERVER, role: "observer" }));
  observer = token;
  return token;
}

const HANDLERS = { commit: postCommit, reset: ({ version }) => remember(version), continued: postContinued };
let source = null;

/** Follow the stream, the first time from now on. A ticket opens it once, so each try takes another. */
async function follow() {
  try {
    const token = await observerToken();
    if (lastPosted() === null) {
      const { version, line } = await ask("GET", "");
      await remember(version, line);
    }
    const { ticket } = await ask("POST", "/tickets", {}, token);
    const { n, line } = lastPosted();
    source = new EventSource(`${here()}/commits?text=en&line=${line}&after=${n}&ticket=${encodeURIComponent(ticket)}`);
    let posted = Promise.resolve(); // one event after the other, as they came
    for (const [kind, handle] of Object.entries(HANDLERS)) {
      source.addEventListener(kind, (event) => { posted = posted.then(() => handle(JSON.parse(event.data))).catch(console.error); });
    }
    source.addEventListener("error", () => { source.close(); posted.finally(() => setTimeout(follow, RETRY_MS)); });
  } catch (problem) {
    if (problem.status === 401) observer = null; // another browser has issued a newer token
    console.warn("rewound |", problem);
    setTimeout(follow, RETRY_MS);
  }
}

/** Follow in one browser alone, the active GM's, so that each commit is posted in the chat once. */
function followIfMine() {
  if (source || !game.users.activeGM?.isSelf || !setting("token") || !setting("encounter")) return;
  source = {};
  follow();
}

// --- acting -------------------------------------------------------------------------------------------------

/** Show a select for each name and a line for each text; return the chosen indices and the texts, null if the window is closed. */
const picked = (title, selects, texts = []) => foundry.applications.api.DialogV2.prompt({
  window: { title },
  rejectClose: false,
  content: Object.entries(selects).map(([name, values]) => `<label>${words(name)} <select name="${escaped(name)}">${
    values.map((value, at) => `<option value="${at}">${escaped(value)}</option>`).join("")}</select></label>`).concat(texts.map((name) =>
    `<label>${words(name)} <input name="${escaped(name)}" required></label>`)).join(""),
  ok: { callback: (_event, button) => Object.fromEntries([...Object.keys(selects), ...texts].map((name) => {
    const { value } = button.form.elements[name];
    return [name, texts.includes(name) ? value : Number(value)];
  })) },
});

/** Return the values of a choice: they are listed, here or in the answer's lists, or cells by rows, or straight paths. */
function valuesOf(choice, lists) {
  if (Array.isArray(choice)) return choice;
  if ("list" in choice) {
    const but = (choice.but ?? []).map((value) => JSON.stringify(value));
    return lists[choice.list].filter((value) => !but.includes(JSON.stringify(value)));
  }
  const upTo = (least, most) => Array.from({ length: most - least + 1 }, (_, at) => least + at);
  if ("cells" in choice) return choice.cells.flatMap(([y, first, last]) => upTo(first, last).map((x) => [x, y]));
  const [x, y] = choice.start;
  return choice.paths.flatMap(([dx, dy, least, most]) =>
    upTo(least, most).map((length) => upTo(1, length).map((i) => [x + dx * i, y + dy * i])));
}

/** Throw the dice that a prompt wants (`heart:d8`) with Foundry's dice, visible to all; return the faces. */
async function thrown(wants) {
  const faces = [];
  for (const wanted of wants) {
    const [role, die] = wanted.split(":");
    const roll = await new Roll(`1${die}`).evaluate();
    await roll.toMessage({ flavor: escaped(role) });
    faces.push(roll.total);
  }
  return faces;
}

/** Show every legal command of this seat and send the chosen one. */
export async function act() {
  try {
    const { options, lists } = await ask("GET", "/options");
    const offers = options.flatMap(({ prompt, commands }) => commands.map((offer) => ({ prompt, offer })));
    if (!offers.length) return ui.notifications.info("Rewound: nothing to do now.");
    const names = offers.map(({ offer: { command: { type, creature, prompt: _prompt, ...given } } }) =>
      [creature, type, ...Object.values(given).map((value) => JSON.stringify(value))].filter(Boolean).join(" "));
    const first = await picked("Rewound", { what: names });
    if (!first) return null;
    const { prompt, offer } = offers[first.what];
    const choices = Object.fromEntries(Object.entries(offer.choices).map(([name, choice]) => [name, valuesOf(choice, lists)]));
    const shown = Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, values.map((value) => JSON.stringify(value))]));
    const { asks = [] } = offer;
    const second = Object.keys(shown).length || asks.length ? await picked(offer.command.type, shown, asks) : {};
    if (!second) return null;
    const chosen = Object.fromEntries(Object.entries(second).map(([name, at]) => [name, asks.includes(name) ? at : choices[name][at]]));
    const dice = "faces" in offer.command ? { faces: await thrown(prompt.wants) } : {};
    return await ask("POST", "/commands", { ...offer.command, ...chosen, ...dice });
  } catch (problem) {
    return ui.notifications.warn(`Rewound: ${problem.detail ?? problem.message}`);
  }
}

/** Open the page of the fight in a window, as this player's seat sees it: the token is in a part that browsers do not send. */
export function look() {
  const page = here().replace("/v1/encounters/", "/encounters/");
  return window.open(`${page}#key=${encodeURIComponent(setting("token"))}`, "_blank", "noopener");
}

Hooks.once("init", () => {
  const text = (name, scope) => game.settings.register(ID, name, {
    name: `Rewound: ${name}`, scope, config: true, type: String, default: "", requiresReload: true,
  });
  text("address", "world");
  text("encounter", "world");
  text("token", "client");
  game.settings.register(ID, "last", { scope: "world", config: false, type: Object, default: {} });
});

Hooks.once("ready", () => {
  game.modules.get(ID).api = { act, ask, look };
  followIfMine();
});
Hooks.on("userConnected", followIfMine); // the active GM left: another one goes on

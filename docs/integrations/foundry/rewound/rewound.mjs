// Follow a Rewound encounter in Foundry's chat, and send what its options offer.
//
// The service must be reachable for every browser under the origin that Foundry itself has, for it sends no CORS
// fields: let the reverse proxy in front of Foundry pass /v1/ to it. Each player keeps a seat token in their own
// client settings; nobody else's browser sees it.

const ID = "rewound";
const RETRY_MS = 3000;
const KINDS = { commit: tellCommit, reset: () => {} };

const setting = (name) => game.settings.get(ID, name).trim();
const here = () => `${setting("address") || window.location.origin}/v1/encounters/${setting("encounter")}`;
const escaped = (text) => foundry.utils.escapeHTML?.(text) ?? String(text).replace(/[&<>"']/gu, (c) => `&#${c.charCodeAt(0)};`);

/** Ask the service as this player's seat; a problem document becomes an Error with its fields. */
export async function ask(method, path, data, key = crypto.randomUUID()) {
  const headers = { Authorization: `Bearer ${setting("token")}`, Prefer: "wait=10" };
  if (method !== "GET") headers["Idempotency-Key"] = `"${key}"`;
  if (data !== undefined) headers["Content-Type"] = "application/json";
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(here() + path, { method, headers, body: data && JSON.stringify(data) }).catch(() => null);
    const again = answer === null || [429, 503, 504].includes(answer.status);
    if (again && attempt < 5) {
      const seconds = Number(answer?.headers.get("Retry-After")) || 0.2 * 2 ** attempt;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      continue; // the same key: it happens once
    }
    if (answer === null) throw new Error("Rewound does not answer");
    const told = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(`${told.title}: ${told.detail}`), told);
    return told;
  }
}

/** Tell one commit in the chat. Only one GM's browser does, so that it stands there once. */
async function tellCommit({ n, commit }) {
  await game.settings.set(ID, "last", n);
  const { outcome, events = [] } = JSON.parse(commit);
  const lines = events.map((event) => `<li>${escaped(event.type)} <small>${escaped(event.because?.join(", ") ?? "")}</small></li>`);
  if (lines.length) await ChatMessage.create({ content: `<p>${n}: ${escaped(outcome)}</p><ul>${lines.join("")}</ul>` });
}

/** Follow the stream. A ticket opens it once, so each try takes another and goes on after the last commit. */
async function follow() {
  try {
    const { ticket } = await ask("POST", "/tickets", {});
    const source = new EventSource(`${here()}/commits?after=${game.settings.get(ID, "last")}&ticket=${encodeURIComponent(ticket)}`);
    let told = Promise.resolve();
    for (const [kind, tell] of Object.entries(KINDS)) {
      source.addEventListener(kind, (event) => { told = told.then(() => tell(JSON.parse(event.data))).catch(console.error); });
    }
    source.addEventListener("error", () => { source.close(); told.finally(() => setTimeout(follow, RETRY_MS)); });
  } catch (problem) {
    console.warn("rewound |", problem);
    setTimeout(follow, RETRY_MS);
  }
}

/** Offer everything that this seat may do now; the choice is sent. */
export async function act() {
  const { options, schemas } = await ask("GET", "/options");
  const offers = options.flatMap(({ prompt, commands }) => commands.map((offer) => ({ prompt, offer })));
  if (!offers.length) return ui.notifications.info("Rewound: nothing to do now.");
  const rows = offers.map(({ offer }, at) => `<option value="${at}">${escaped(`${offer.creature ?? ""} ${offer.type}`)}</option>`);
  const picked = await foundry.applications.api.DialogV2.prompt({
    window: { title: "Rewound" },
    content: `<select name="at">${rows.join("")}</select><input name="more" placeholder='{"target": "orc"}'>`,
    ok: { callback: (_event, button) => ({ at: Number(button.form.elements.at.value), more: button.form.elements.more.value }) },
  });
  const { offer } = offers[picked.at];
  const chosen = Object.fromEntries(Object.entries(offer.choices).map(([name, values]) => [name, values[0]]));
  const named = Object.fromEntries(["creature", "prompt"].filter((name) => offer[name] !== null && name in schemas[offer.type].properties).map((name) => [name, offer[name]]));
  try {
    return await ask("POST", "/commands", { type: offer.type, ...named, ...offer.given, ...chosen, ...JSON.parse(picked.more || "{}") });
  } catch (problem) {
    return ui.notifications.warn(`Rewound: ${problem.detail ?? problem.message}`);
  }
}

Hooks.once("init", () => {
  const text = (name, scope, value = "") => game.settings.register(ID, name, { name: `Rewound: ${name}`, scope, config: true, type: String, default: value });
  text("address", "world");
  text("encounter", "world");
  text("token", "client");
  game.settings.register(ID, "last", { scope: "world", config: false, type: Number, default: 0 });
});

Hooks.once("ready", () => {
  game.modules.get(ID).api = { act, ask };
  if (game.users.activeGM?.isSelf && setting("token") && setting("encounter")) follow();
});

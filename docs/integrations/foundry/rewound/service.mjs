// The requests to the service, and the words and settings that all parts use.
//
// The service must list Foundry's origin (REWOUND_CORS_ORIGINS), or the reverse proxy in front of Foundry forwards
// /v1/ to it. Each player stores a seat token in their own client settings; nobody else's browser sees it.

export const ID = "rewound";
const AGAIN = [429, 503, 504];
const TRIES = 6;

export const setting = (name) => game.settings.get(ID, name).trim();
export const here = () => `${setting("address") || window.location.origin}/v1/encounters/${setting("encounter")}`;
export const say = (key, data = {}) => game.i18n.format(`REWOUND.${key}`, data);
export const escaped = (text) => String(text).replace(/[&<>"']/gu, (c) => `&#${c.charCodeAt(0)};`);
export const words = (name) => name.replaceAll("_", " ");
export const faultOf = (problem) => problem.detail ?? problem.message ?? String(problem);
export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

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
      await pause(1000 * (Number(answer?.headers.get("Retry-After")) || 0.1 * 2 ** attempt));
      continue; // the same key: it happens once
    }
    if (answer === null) throw new Error(say("silent"));
    const read = await answer.json().catch(() => ({ title: answer.status, detail: say("foreign") }));
    if (!answer.ok) throw Object.assign(new Error(`${read.title}: ${read.detail}`), read);
    return read;
  }
}

/** The seat as which the module reads what it shows to all: the GM's own view has what is secret. */
const OBSERVER = "foundry";

/** Return a token of the observer's seat, which the GM's token opens if it is not there yet. It is kept in this browser. */
export async function observerToken() {
  const kept = game.settings.get(ID, "observer");
  if (kept.token && kept.encounter === setting("encounter")) return kept.token;
  const { seats } = await ask("GET", "/seats");
  const isOpen = seats.some(({ seat }) => seat === OBSERVER);
  const { token } = await (isOpen ? ask("POST", `/seats/${OBSERVER}/token`, {}) : ask("POST", "/seats", { seat: OBSERVER, role: "observer" }));
  await game.settings.set(ID, "observer", { encounter: setting("encounter"), token });
  return token;
}

/** Ask as the observer. A refused token is forgotten: another browser has issued a newer one. */
export async function askAsObserver(method, path, data) {
  try {
    return await ask(method, path, data, await observerToken());
  } catch (problem) {
    if (problem.status === 401) await game.settings.set(ID, "observer", {});
    throw problem;
  }
}

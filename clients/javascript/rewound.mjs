// Talk to a Rewound service: open encounters, send commands, follow and explain them, have them audited.
//
// Runs in browsers and under node, with no dependency. It knows no rule: what may be done stands in the options.

import { Encounter } from "./encounter.mjs";
import { answered, jobs, newKey, pages, WAIT_S } from "./requests.mjs";

export { Encounter } from "./encounter.mjs";
export { Problem, Unreachable } from "./requests.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {{key?: string, wait?: number, version?: number, decided?: boolean, signal?: AbortSignal}} Sending
 *  `key`: one effect however often it is sent; `wait`: seconds that one request waits; `version`: only if this is the
 *  newest commit's number; `decided: false`: be content with `pending` */

const TRIES = 8;

/** A caller of a service, with an API key or a seat's token. */
export class Client {
  /**
   * @param {string} url where the service is: `http://127.0.0.1:8000`
   * @param {string} [token] an API key or a seat's token
   * @param {{fetch?: typeof fetch, tries?: number}} [how]
   */
  constructor(url, token, { fetch = globalThis.fetch.bind(globalThis), tries = TRIES } = {}) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
    this.how = { fetch, tries };
  }

  /** Return another caller of the same service. */
  as(token) {
    return new Client(this.url, token, this.how);
  }

  /** @param {Json} opening @param {Sending} [sending] @returns {Promise<Encounter>} */
  async open(opening, sending = {}) {
    const told = await this.send("POST", "/v1/encounters", opening, sending);
    return Object.assign(this.encounter(told.encounter), { opened: told });
  }

  /** Return an encounter that is open already. */
  encounter(id) {
    return new Encounter(this, id);
  }

  /** Return what stands at a path, with `query`'s members that are there. */
  async get(path, query = {}, { signal, wait } = {}) {
    return (await this.#answer("GET", path, query, { signal, wait })).data;
  }

  /** Send a POST, PATCH or DELETE until it is decided; it happens once. Return the body of the answer. */
  async send(method, path, data, { key = newKey(), wait = WAIT_S, version, signal, query, decided = true, type } = {}) {
    const headers = { ...(type ? { "Content-Type": type } : {}), Prefer: `wait=${wait}`, ...(version === undefined ? {} : { "If-Match": `"${version}"` }) };
    const body = data === undefined || typeof data === "string" ? data : JSON.stringify(data);
    return (await this.#answer(method, path, query ?? {}, { headers, body, key, decided, signal })).data;
  }

  /** Ask for a path as it is, with no repetition: the answer is the caller's to read. */
  fetch(path, query, { headers, signal } = {}) {
    return this.how.fetch(this.#address(path, query), { headers: { ...this.#headers(), ...headers }, signal });
  }

  #headers() {
    return this.token === undefined ? {} : { Authorization: `Bearer ${this.token}` };
  }

  #address(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `${this.url}${path}${text ? `?${text}` : ""}`;
  }

  #answer(method, path, query, { headers = {}, body, key, decided, signal, wait }) {
    const sent = { ...this.#headers(), ...headers };
    if (body !== undefined) sent["Content-Type"] ??= "application/json";
    if (wait !== undefined) sent.Prefer = `wait=${wait}`;
    return answered({ url: this.#address(path, query), method, headers: sent, body, key, decided, signal, ...this.how });
  }

  // --- what belongs to the owner of an API key -------------------------------------------------------------

  /** Yield your encounters, the newest first. */
  encounters() {
    return pages(this, "/v1/encounters", "encounters");
  }

  /** Return your keys, without their text. */
  async apiKeys() {
    return (await this.get("/v1/api-keys")).keys;
  }

  /** Make another key of yours: `name`, `scopes`, `expires_in_s`; its text is shown here alone. */
  makeApiKey(data, sending = {}) {
    return this.send("POST", "/v1/api-keys", data, sending);
  }

  /** Make the key that takes another's place, which works `overlap_s` longer. */
  rotateApiKey(key, data = {}, sending = {}) {
    return this.send("POST", `/v1/api-keys/${key}/rotation`, data, sending);
  }

  /** End a key of yours. */
  endApiKey(key, sending = {}) {
    return this.send("DELETE", `/v1/api-keys/${key}`, undefined, sending);
  }

  /** Return the public keys with which the service signs checkpoints and certificates. */
  async signingKeys() {
    return (await this.get("/v1/keys")).keys;
  }

  /** Return your webhooks. */
  async webhooks() {
    return (await this.get("/v1/webhooks")).webhooks;
  }

  /** Have every commit (of `encounter`) posted to `url`; the `secret` is shown here alone. */
  addWebhook(data, sending = {}) {
    return this.send("POST", "/v1/webhooks", data, sending);
  }

  /** Return one webhook. */
  webhook(id) {
    return this.get(`/v1/webhooks/${id}`);
  }

  /** Change a webhook: `url`, where it posts; `state`, `active` to go on after it was disabled. */
  changeWebhook(id, data, sending = {}) {
    return this.send("PATCH", `/v1/webhooks/${id}`, data, sending);
  }

  /** End a webhook. */
  endWebhook(id, sending = {}) {
    return this.send("DELETE", `/v1/webhooks/${id}`, undefined, sending);
  }

  /** Yield what was or will be posted. */
  deliveries(id) {
    return pages(this, `/v1/webhooks/${id}/deliveries`, "deliveries");
  }

  /** Try a delivery again now. */
  retryDelivery(id, delivery, sending = {}) {
    return this.send("POST", `/v1/webhooks/${id}/deliveries/${delivery}/retry`, {}, sending);
  }

  /**
   * Take in an encounter that was played elsewhere, as text; return the import, `done` or `failed`.
   *
   * With `keys` it is refused unless one of them signed the last commit.
   */
  takeBundle(bundle, { keys = [], signal } = {}) {
    const query = keys.length ? { key: keys.join(",") } : {};
    return jobs(this, "/v1/bundles", bundle, "import", signal, { type: "application/jsonl", query });
  }

  /** Yield the bundles that were sent, the newest first. */
  imports() {
    return pages(this, "/v1/bundles", "imports");
  }

  /** Return an import, done or not. */
  import(id) {
    return this.get(`/v1/bundles/${id}`);
  }

  /** Play an opening with bots (`times`, `seed`, limits) and return the results once they are there. */
  simulate(opening, { signal, ...more } = {}) {
    return jobs(this, "/v1/simulations", { opening, ...more }, "simulation", signal);
  }

  /** Return a simulation, done or not. */
  simulation(id) {
    return this.get(`/v1/simulations/${id}`);
  }

  /** Return the editions that are played here. */
  async rulesets() {
    return (await this.get("/v1/rulesets")).rulesets;
  }

  /** Return an edition with its house options. */
  ruleset(edition) {
    return this.get(`/v1/rulesets/${edition}`);
  }

  /** Return every command of an edition with its schema. */
  commands(edition) {
    return this.get(`/v1/rulesets/${edition}/commands`);
  }

  /** Return a rule's statement, and where it stands in the books. */
  rule(edition, rule) {
    return this.get(`/v1/rulesets/${edition}/rules/${rule}`);
  }
}

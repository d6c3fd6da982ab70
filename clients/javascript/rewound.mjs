// A client for a Rewound service: open encounters, send commands, follow, explain and audit them.
//
// It runs in browsers and under node, without dependencies. It knows no rules: the options list the legal commands.

import { Encounter } from "./encounter.mjs";
import { answered, jobs, newKey, pages, WAIT_S } from "./requests.mjs";

export { valuesOf, withLists } from "./choices.mjs";
export { seal } from "./sealing.mjs";
export { OtherKey, SeatKey } from "./signing.mjs";
export { FalseReceipt } from "./receipts.mjs";
export { Encounter } from "./encounter.mjs";
export { Problem, Unreachable } from "./requests.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {{key?: string, wait?: number, version?: number, decided?: boolean, signal?: AbortSignal}} Sending
 *  `key`: the idempotency key; `wait`: seconds that one request waits; `version`: refuse unless this is the newest
 *  commit's number; `decided: false`: accept a `pending` answer */

const TRIES = 8;

/** A caller of a service, with an API key or a seat token. */
export class Client {
  /**
   * @param {string} url the service's address, for example `http://127.0.0.1:8000`
   * @param {string} [token] an API key or a seat's token
   * @param {{fetch?: typeof fetch, tries?: number}} [how]
   */
  constructor(url, token, { fetch = globalThis.fetch.bind(globalThis), tries = TRIES } = {}) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
    this.how = { fetch, tries };
  }

  /** Return a caller of the same service with another token. */
  as(token) {
    return new Client(this.url, token, this.how);
  }

  /** @param {Json} opening @param {Sending} [sending] @returns {Promise<Encounter>} */
  async open(opening, sending = {}) {
    const opened = await this.send("POST", "/v1/encounters", opening, sending);
    return Object.assign(this.encounter(opened.encounter), { opened });
  }

  /** Return the encounter with this id, without a request. */
  encounter(id) {
    return new Encounter(this, id);
  }

  /** Return the body at a path; undefined members of `query` are left out. */
  async get(path, query = {}, { signal, wait } = {}) {
    return (await this.#answer("GET", path, query, { signal, wait })).data;
  }

  /** Send a POST, PATCH or DELETE until it is decided; it takes effect once. Return the body of the answer. */
  async send(method, path, data, { key = newKey(), wait = WAIT_S, version, signal, query, decided = true, type, signature } = {}) {
    const headers = { ...(type ? { "Content-Type": type } : {}), Prefer: `wait=${wait}`, ...(version === undefined ? {} : { "If-Match": `"${version}"` }), ...(signature ? { "Rewound-Signature": signature } : {}) };
    // what has a type of its own is a file: a text, its bytes, or a Blob
    const body = data === undefined || type !== undefined || typeof data === "string" ? data : JSON.stringify(data);
    return (await this.#answer(method, path, query ?? {}, { headers, body, key, decided, signal })).data;
  }

  /** Request a path once, without retries, and return the raw response. */
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

  // --- resources of an API key's owner ---------------------------------------------------------------------

  /** Yield your encounters, newest first: all, or those of a `status`, an `edition` or a `ruleset`. */
  encounters({ status, edition, ruleset } = {}) {
    return pages(this, "/v1/encounters", "encounters", { status, edition, ruleset });
  }

  /** Return your API keys, without their secrets. */
  async apiKeys() {
    return (await this.get("/v1/api-keys")).keys;
  }

  /** Create an API key: `name`, `scopes`, `expires_in_s`. Only this answer contains its secret. */
  makeApiKey(data, sending = {}) {
    return this.send("POST", "/v1/api-keys", data, sending);
  }

  /** Create a key's successor; the old key stays valid for `overlap_s` seconds. */
  rotateApiKey(key, data = {}, sending = {}) {
    return this.send("POST", `/v1/api-keys/${key}/rotation`, data, sending);
  }

  /** Revoke an API key. */
  endApiKey(key, sending = {}) {
    return this.send("DELETE", `/v1/api-keys/${key}`, undefined, sending);
  }

  /** Return what you store in all encounters together, and your quotas. */
  usage() {
    return this.get("/v1/usage");
  }

  /** Return what an owner stores, and its quotas; needs an operator's key, as the next two. */
  usageOf(owner) {
    return this.get(`/v1/owners/${owner}/usage`);
  }

  /** Give an owner quotas of its own: `encounters`, `commands`, `bytes`; 0: no limit. */
  changeQuotas(owner, data, sending = {}) {
    return this.send("PATCH", `/v1/owners/${owner}/quotas`, data, sending);
  }

  /** Give an owner the quotas of the service's settings again. */
  resetQuotas(owner, sending = {}) {
    return this.send("DELETE", `/v1/owners/${owner}/quotas`, undefined, sending);
  }

  /** Return the public keys with which the service signs checkpoints and certificates. */
  async signingKeys() {
    return (await this.get("/v1/keys")).keys;
  }

  /** Return your webhooks. */
  async webhooks() {
    return (await this.get("/v1/webhooks")).webhooks;
  }

  /**
   * Have every commit (of `encounter`, if given) posted to `url`. Only this answer contains the `secret`. With `text: "en"`
   * messages also say in words what happened; with `format: "discord"` they say nothing else.
   */
  addWebhook(data, sending = {}) {
    return this.send("POST", "/v1/webhooks", data, sending);
  }

  /** Return one webhook. */
  webhook(id) {
    return this.get(`/v1/webhooks/${id}`);
  }

  /** Change a webhook's `url`, or its `state`: `active` resumes a disabled webhook. */
  changeWebhook(id, data, sending = {}) {
    return this.send("PATCH", `/v1/webhooks/${id}`, data, sending);
  }

  /** Delete a webhook. */
  endWebhook(id, sending = {}) {
    return this.send("DELETE", `/v1/webhooks/${id}`, undefined, sending);
  }

  /** Yield past and pending deliveries. */
  deliveries(id) {
    return pages(this, `/v1/webhooks/${id}/deliveries`, "deliveries");
  }

  /** Retry a delivery now. */
  retryDelivery(id, delivery, sending = {}) {
    return this.send("POST", `/v1/webhooks/${id}/deliveries/${delivery}/retry`, {}, sending);
  }

  /**
   * Import an encounter that was played elsewhere, as text; return the import, `done` or `failed`.
   *
   * With `keys` the service refuses it unless one of them signed the last commit.
   */
  takeBundle(bundle, { keys = [], signal } = {}) {
    const query = keys.length ? { key: keys.join(",") } : {};
    return jobs(this, "/v1/bundles", bundle, "bundle", signal, { type: "application/jsonl", query });
  }

  /** Yield your imports, newest first. */
  imports() {
    return pages(this, "/v1/bundles", "imports");
  }

  /** Return an import with its current status. */
  imported(id) {
    return this.get(`/v1/bundles/${id}`);
  }

  /** Let bots play an opening (`times`, `seed`, limits) and return the results. */
  simulate(opening, { signal, ...more } = {}) {
    return jobs(this, "/v1/simulations", { opening, ...more }, "simulation", signal);
  }

  /** Return a simulation with its current status. */
  simulation(id) {
    return this.get(`/v1/simulations/${id}`);
  }

  /** Return the editions that the service supports. */
  async rulesets() {
    return (await this.get("/v1/rulesets")).rulesets;
  }

  /** Return an edition with its house options. */
  ruleset(edition) {
    return this.get(`/v1/rulesets/${edition}`);
  }

  /** Return every command of an edition, with its schema. */
  commands(edition) {
    return this.get(`/v1/rulesets/${edition}/commands`);
  }

  /** Return what an edition has by name: stat blocks, weapons, abilities, sample fights. `kind` and `q` select. */
  async library(edition, query = {}) {
    return (await this.get(`/v1/rulesets/${edition}/library`, query)).entries;
  }

  /** Return what a file of another program is in an opening: `part` and `notes`. `kind` is `map` or `creatures`. */
  importFile(file, asked, sending = {}) {
    return this.send("POST", "/v1/imports", file, { ...sending, type: "application/octet-stream", query: asked });
  }

  /** Return the QR code of a text: its `size` in squares, and the black ones as the `path` of an SVG. */
  qrCode(text, sending = {}) {
    return this.send("POST", "/v1/qr-codes", { text }, sending);
  }

  /** Return the OpenAPI document of an edition as YAML, for generators. */
  editionContract(edition) {
    return this.get(`/v1/rulesets/${edition}/openapi.yaml`);
  }

  /** Return how a creature's sheet is written: a JSON Schema, and its groups of fields. */
  sheetSchema(edition) {
    return this.get(`/v1/rulesets/${edition}/sheet`);
  }

  /** Return a rule's statement, and its place in the books. */
  rule(edition, rule) {
    return this.get(`/v1/rulesets/${edition}/rules/${rule}`);
  }
}

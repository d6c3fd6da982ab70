// Talk to a Rewound service: open encounters, send commands, follow and explain them, have them audited.
//
// Runs in browsers and under node, with no dependency. It knows no rule: what may be done stands in the options.

import { following } from "./events.mjs";
import { answered, newKey, pause } from "./requests.mjs";

export { Problem, Unreachable } from "./requests.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {{key?: string, wait?: number, version?: number, signal?: AbortSignal}} Sending `key`: one effect however
 *  often it is sent; `wait`: seconds that one request waits; `version`: only if this is the newest commit's number */

const TRIES = 8;
const WAIT_S = 10;
const AUDIT_PAUSE_MS = 200;

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
  async send(method, path, data, { key = newKey(), wait = WAIT_S, version, signal, query, decided = true } = {}) {
    const headers = { Prefer: `wait=${wait}`, ...(version === undefined ? {} : { "If-Match": `"${version}"` }) };
    const body = data === undefined ? undefined : JSON.stringify(data);
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
    if (body !== undefined) sent["Content-Type"] = "application/json";
    if (wait !== undefined) sent.Prefer = `wait=${wait}`;
    return answered({ url: this.#address(path, query), method, headers: sent, body, key, decided, signal, ...this.how });
  }
}

/** One encounter, as its caller's seat sees it. */
export class Encounter {
  constructor(client, id) {
    this.client = client;
    this.id = id;
    this.path = `/v1/encounters/${id}`;
  }

  /** Return the same encounter as another seat sees it. */
  as(token) {
    return this.client.as(token).encounter(this.id);
  }

  /** Return what the encounter is, and whom it waits for. @returns {Promise<Json>} */
  about() {
    return this.client.get(this.path);
  }

  /** Issue a token for a seat, which ends the one before. @returns {Promise<string>} */
  async token(seat, sending = {}) {
    return (await this.client.send("POST", `${this.path}/seats/${seat}/token`, {}, sending)).token;
  }

  /**
   * Send a command, or up to fifty in an array, and return what became of it: an outcome, or `{n, outcomes}`.
   * Throws `Problem` where one command is refused (`code` says why); of an array each outcome says it.
   * @param {Json|Json[]} command
   * @param {Sending & {goOn?: boolean}} [sending] `goOn`: what follows a refusal in an array is decided all the same
   * @returns {Promise<Json>}
   */
  send(command, { goOn, ...sending } = {}) {
    const query = goOn ? { continue: true } : {};
    return this.client.send("POST", `${this.path}/commands`, command, { ...sending, query });
  }

  /** Return what became of command *n*. */
  outcome(n, asked = {}) {
    return this.client.get(`${this.path}/commands/${n}`, {}, { wait: WAIT_S, ...asked });
  }

  /** Return what became of the command that was sent with a key. */
  settled(key, asked = {}) {
    return this.client.get(`${this.path}/commands`, { key }, { wait: WAIT_S, ...asked });
  }

  /** Return everything the seat may do now, with schemas and choices. */
  options(query = {}) {
    return this.client.get(`${this.path}/options`, query);
  }

  /** Return the state; `at`, `round`, `known`, `min_version` choose the moment. */
  state(query = {}) {
    return this.client.get(`${this.path}/state`, query, { wait: WAIT_S });
  }

  /** Yield the commits after a number, page by page, up to the newest. */
  async *commits({ after = 0, ...query } = {}) {
    let cursor;
    do {
      const page = await this.client.get(`${this.path}/commits`, cursor ? { ...query, cursor } : { ...query, after });
      yield* page.commits;
      cursor = page.next_cursor;
    } while (cursor);
  }

  /**
   * Yield `{event, id, data}`: every commit after a number once and in order, then each as it is made, with
   * heartbeats and resets. A cut is mended. It ends with the signal, or when nobody reads on.
   */
  stream({ after = 0, signal } = {}) {
    return following((headers) => this.client.fetch(`${this.path}/commits`, {}, { headers, signal }), after, signal);
  }

  /** Return an address that a browser's `EventSource` opens once, within thirty seconds. */
  async ticket({ after = 0 } = {}) {
    const { ticket } = await this.client.send("POST", `${this.path}/tickets`);
    return `${this.client.url}${this.path}/commits?${new URLSearchParams({ after: String(after), ticket })}`;
  }

  /** Return why commit *n* says what it says. */
  explanation(n) {
    return this.client.get(`${this.path}/commits/${n}/explanation`);
  }

  /** Have the encounter audited, or rounds `from` to `to`, and wait until that is done. @returns {Promise<Json>} */
  async audit({ signal, ...rounds } = {}) {
    let job = await this.client.send("POST", `${this.path}/audits`, rounds, { decided: false, signal });
    while (job.status === "pending" || job.status === "running") {
      await pause(AUDIT_PAUSE_MS, signal);
      job = await this.client.get(`${this.path}/audits/${job.audit}`, {}, { signal });
    }
    return job;
  }

  /** Return the bundle as text: what the seat may see, in one file that anybody can audit. @returns {Promise<string>} */
  bundle() {
    return this.client.get(`${this.path}/bundle`);
  }

  /** Close the encounter: the seeds of its dice are disclosed, nothing more is accepted. */
  close(reason, sending = {}) {
    return this.client.send("DELETE", this.path, undefined, { ...sending, query: { reason } });
  }
}

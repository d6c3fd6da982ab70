// Sit at one encounter: send commands, ask what is legal, read and follow it, contest, mend and prove it.

import { following } from "./events.mjs";
import { jobs, pages, WAIT_S, whole } from "./requests.mjs";

/** @typedef {import("./rewound.mjs").Json} Json */
/** @typedef {import("./rewound.mjs").Sending} Sending */

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
  commits({ after, ...query } = {}) {
    return pages(this.client, `${this.path}/commits`, "commits", { ...query, after });
  }

  /**
   * Yield `{event, id, data}`: every commit after a number once and in order, then each as it is made, with
   * heartbeats and resets. A cut is mended. `continued` names the line of play in which the encounter goes on: read
   * its state anew; what comes then is of that line. It ends with the signal, or when nobody reads on.
   */
  stream({ after = 0, signal } = {}) {
    const open = (encounter, headers) =>
      this.client.fetch(`/v1/encounters/${encounter}/commits`, {}, { headers, signal });
    return following(open, this.id, after, signal);
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
  audit({ signal, ...rounds } = {}) {
    return jobs(this.client, `${this.path}/audits`, rounds, "audit", signal);
  }

  /** Return the bundle as text: what the seat may see, in one file that anybody can audit. @returns {Promise<string>} */
  bundle() {
    return this.client.get(`${this.path}/bundle`);
  }

  /** Close the encounter: the seeds of its dice are disclosed, nothing more is accepted. */
  close(reason, sending = {}) {
    return this.client.send("DELETE", this.path, undefined, { ...sending, query: { reason } });
  }

  // --- who sits where --------------------------------------------------------------------------------------

  /** Return all seats, the closed ones too. */
  async seats() {
    return (await this.client.get(`${this.path}/seats`)).seats;
  }

  /** Return one seat. */
  seat(seat) {
    return this.client.get(`${this.path}/seats/${seat}`);
  }

  /** Open a seat (`seat`, `role`, `creatures`) and give it a token. */
  openSeat(data, sending = {}) {
    return this.client.send("POST", `${this.path}/seats`, data, sending);
  }

  /** Give a seat exactly these creatures. */
  changeSeat(seat, creatures, sending = {}) {
    return this.client.send("PATCH", `${this.path}/seats/${seat}`, { creatures }, sending);
  }

  /** Close a seat; its token ends. */
  closeSeat(seat, sending = {}) {
    return this.client.send("DELETE", `${this.path}/seats/${seat}`, undefined, sending);
  }

  // --- the record -----------------------------------------------------------------------------------------

  /** Return whether a command would be accepted now, as far as this seat can know. */
  preview(command) {
    return this.client.send("POST", `${this.path}/previews`, command);
  }

  /** Return every round that began, with its first and last commit. */
  async rounds() {
    const rounds = [];
    for await (const round of pages(this.client, `${this.path}/rounds`, "rounds")) rounds.push(round);
    return rounds;
  }

  /** Return one round with all its commits. */
  round(round) {
    return whole(this.client, `${this.path}/rounds/${round}`, {}, (page) => [page.commits]);
  }

  /** Return a round again: the state before it, and each commit with the patch that it makes (RFC 6902). */
  replay(round) {
    return whole(this.client, `${this.path}/rounds/${round}/replay`, {}, (page) => [page.frames]);
  }

  /** Yield the rolls so far; `round` and `creature` choose. */
  rolls(query = {}) {
    return pages(this.client, `${this.path}/rolls`, "rolls", query);
  }

  /** Return how often each type of die showed what, with chi-square. */
  statistics() {
    return this.client.get(`${this.path}/rolls/statistics`);
  }

  /** Return the way `from` one commit `to` another, also one of the encounter `with`. */
  diff(query) {
    return whole(this.client, `${this.path}/diff`, query, ({ events }) => [events.from, events.to]);
  }

  /** Yield the audits that were asked for. */
  audits() {
    return pages(this.client, `${this.path}/audits`, "audits");
  }

  /** Return one audit; once it is `done` it has its `certificate`. */
  audited(id) {
    return this.client.get(`${this.path}/audits/${id}`);
  }

  /** Have the head signed and return that checkpoint. */
  checkpoint() {
    return this.client.send("POST", `${this.path}/checkpoints`);
  }

  /** Yield the signed heads so far. */
  checkpoints() {
    return pages(this.client, `${this.path}/checkpoints`, "checkpoints");
  }

  /** Have the closed encounter's record deleted; *bundle* is the SHA-256 of its bundle, 64 digits. */
  remove(bundle, sending = {}) {
    return this.client.send("POST", `${this.path}/removal`, { bundle }, sending);
  }

  /** Return what an encounter that was removed had been. */
  removal() {
    return this.client.get(`${this.path}/removal`);
  }

  // --- what went wrong ------------------------------------------------------------------------------------

  /** Contest a `commit`, an `event` in it, or a `roll`: `claim` says why. */
  contest(data, sending = {}) {
    return this.client.send("POST", `${this.path}/contests`, data, sending);
  }

  /** Return all contests in the order they were opened. */
  async contests() {
    return (await this.client.get(`${this.path}/contests`)).contests;
  }

  /** Return one contest. */
  contested(id) {
    return this.client.get(`${this.path}/contests/${id}`);
  }

  /** Answer a contest as the gm: `ending`, `decision`, and what the ending takes. */
  rule(id, data, sending = {}) {
    return this.client.send("POST", `${this.path}/contests/${id}/ruling`, data, sending);
  }

  /** Propose to take back everything from `commit` on. */
  undo(data, sending = {}) {
    return this.client.send("POST", `${this.path}/undo`, data, sending);
  }

  /** Propose to take again what was undone. */
  redo(data = {}, sending = {}) {
    return this.client.send("POST", `${this.path}/redo`, data, sending);
  }

  /** Return a proposal and how its line differs from the one as played. */
  amendment(id) {
    return this.client.get(`${this.path}/amendments/${id}`, {}, { wait: WAIT_S });
  }

  /** Accept a proposal that was compared at *version*; return the encounter in which it goes on. */
  async accept(id, version, sending = {}) {
    const told = await this.client.send("POST", `${this.path}/amendments/${id}/accept`, { version }, sending);
    return new Encounter(this.client, told.encounter);
  }

  /** Drop a proposal: the line as played goes on. */
  drop(id, sending = {}) {
    return this.client.send("DELETE", `${this.path}/amendments/${id}`, undefined, sending);
  }

  /** Make a what-if that goes on from commit *at*, with *commands* at once; return it as its gm sees it. */
  async fork(at, commands = [], sending = {}) {
    const told = await this.client.send("POST", `${this.path}/forks`, { at, commands }, sending);
    return new Encounter(told.token ? this.client.as(told.token) : this.client, told.encounter);
  }

  /** Return the what-ifs that go on from here: the gm's seat all of them, another its own. */
  async forks() {
    return (await this.client.get(`${this.path}/forks`)).forks;
  }

  /** Delete a what-if now, with every line that went on from it. */
  deleteFork(fork, sending = {}) {
    return this.client.send("DELETE", `${this.path}/forks/${fork}`, undefined, sending);
  }
}

// Play one encounter: send commands, list legal commands, read and follow it, contest, correct and prove it.

import { withLists } from "./choices.mjs";
import { following } from "./events.mjs";
import { ReceiptChecker } from "./receipts.mjs";
import { jobs, newKey, pages, Problem, WAIT_S, whole } from "./requests.mjs";
import { OtherKey, rulingCommand, Signer } from "./signing.mjs";

/** @typedef {import("./rewound.mjs").Json} Json */
/** @typedef {import("./rewound.mjs").Sending} Sending */

/** Why a signed command is refused if play goes on in another line. */
const MOVED = new Set(["signature_false", "other_history"]);

/** One encounter, as its caller's seat sees it. */
export class Encounter {
  constructor(client, id) {
    this.client = client;
    this.id = id;
    this.path = `/v1/encounters/${id}`;
    /** Who signs its commands. @type {Signer | null} */
    this.signer = null;
    /** Where their receipts go. @type {ReceiptChecker | null} */
    this.receipts = null;
  }

  /** Return the same encounter as another seat sees it. */
  as(token) {
    return Object.assign(this.client.as(token).encounter(this.id), { receipts: this.receipts });
  }

  /**
   * Return the encounter as a seat, the caller's own, which signs every command with a key from now on. If the seat has
   * no key, this one is set, once and on the record. Throws `OtherKey` if it has another one: the gm replaces a lost key.
   * @param {string} seat @param {import("./signing.mjs").SeatKey} key
   */
  async signing(seat, key) {
    const { key: set } = await this.seat(seat);
    if (set !== null && set !== key.public) throw new OtherKey(seat, set);
    if (set === null) await this.send({ type: "set_seat_key", seat, key: key.public });
    return Object.assign(new Encounter(this.client, this.id), { signer: new Signer(seat, key), receipts: this.receipts });
  }

  /** Replace the public key of a seat, as the gm, or with null remove it. Everybody sees that. */
  replaceSeatKey(seat, key, sending = {}) {
    return this.send(key === null ? { type: "remove_seat_key", seat } : { type: "set_seat_key", seat, key }, sending);
  }

  /**
   * Return the same encounter, which passes on the receipt of every command that is answered with one. Each signature is
   * verified, and made by `key`, the service's, if one is given; `FalseReceipt` is thrown otherwise.
   * @param {(receipt: Json) => any} keep @param {{key?: string}} [how]
   */
  keeping(keep, { key } = {}) {
    return Object.assign(new Encounter(this.client, this.id), { signer: this.signer, receipts: new ReceiptChecker(keep, key) });
  }

  /**
   * Send a request that appends commands; if the seat has a key, signed, on the newest commit that it has seen. If the
   * service has another line of play by now, the signer reads where play goes on, and signs again.
   * @param {string} method @param {string} path below that of the encounter @param {any} data @param {any} sending @param {Json[]} commands
   */
  async #act(method, path, data, { key = newKey(), ...sending }, commands) {
    const send = (signature) => this.client.send(method, this.path + path, data, { ...sending, key, signature });
    const answer = await (this.signer === null || commands.length === 0 ? send() : this.#signed(send, commands, key));
    this.signer?.seeOutcomes(answer);
    await this.receipts?.take(answer);
    return answer;
  }

  async #signed(send, commands, key) {
    const { signer } = this;
    if (signer.head === null) await this.about();
    const before = signer.head;
    try {
      return await send(await signer.signature(commands, key));
    } catch (fault) {
      if (!(fault instanceof Problem) || fault.n !== null || !MOVED.has(fault.code)) throw fault;
      await this.about();
      if (signer.head === before) throw fault;
      return send(await signer.signature(commands, key));
    }
  }

  /** Return the encounter's summary, with the prompts that wait. @returns {Promise<Json>} */
  async about() {
    const found = await this.client.get(this.path);
    if (found.version) this.signer?.see(found.line, found.version, found.hash);
    return found;
  }

  /** Issue a token for a seat, which revokes the previous one; with a public key also set that. @returns {Promise<string>} */
  async token(seat, { publicKey, ...sending } = {}) {
    const data = publicKey === undefined ? {} : { key: publicKey };
    return (await this.#act("POST", `/seats/${seat}/token`, data, sending, [{ type: "issue_token", seat, ...data }])).token;
  }

  /**
   * Send a command, or up to fifty in an array, and return its outcome, or `{n, outcomes}`.
   * Throws `Problem` if a single command is refused (`code` says why); in an array a refusal is an outcome.
   * @param {Json|Json[]} command
   * @param {Sending & {continueOnRefusal?: boolean}} [sending] `continueOnRefusal`: decide the rest of an array after a refusal
   * @returns {Promise<Json>}
   */
  send(command, { continueOnRefusal, ...sending } = {}) {
    const query = continueOnRefusal ? { continue_on_refusal: true } : {};
    return this.#act("POST", "/commands", command, { ...sending, query }, Array.isArray(command) ? command : [command]);
  }

  /** Return the outcome of command *n*. */
  outcome(n, asked = {}) {
    return this.client.get(`${this.path}/commands/${n}`, {}, { wait: WAIT_S, ...asked });
  }

  /** Return the outcome of the request with an idempotency key. */
  settled(key, asked = {}) {
    return this.client.get(`${this.path}/commands`, { key }, { wait: WAIT_S, ...asked });
  }

  /**
   * Return every command that the seat may send now: all, or of a `creature`, a `prompt`, of `types`. With `at` those that
   * were legal after that commit, with `view: "short"` of each prompt only the `types` of its commands, with
   * `view: "full"` also the commands that answer no prompt, and why others are not legal now, with `text: "en"` a
   * sentence for what each offer does.
   * `valuesOf` lists the values of a choice.
   */
  options(query = {}) {
    return this.client.get(`${this.path}/options`, query).then(withLists);
  }

  /** Return the state; `at`, `round`, `known` and `min_version` select the version. */
  state(query = {}) {
    return this.client.get(`${this.path}/state`, query, { wait: WAIT_S });
  }

  /** Return every creature in the short form that all rulesets share: now, or after the commit `at`. */
  async creatures(query = {}) {
    return (await this.client.get(`${this.path}/creatures`, query)).creatures;
  }

  /** Return a creature's sheet in words, as the seat may read it: groups of lines. */
  async sheet(creature, query = {}) {
    return (await this.client.get(`${this.path}/creatures/${creature}/sheet`, query)).groups;
  }

  /** Yield what each commit after a number changed of the creatures, page by page. */
  creatureChanges(query = {}) {
    return pages(this.client, `${this.path}/creatures/changes`, "changes", query);
  }

  /** Return the damage that each creature dealt and took, and how often it acted, by rounds. */
  creatureStatistics(query = {}) {
    return this.client.get(`${this.path}/creatures/statistics`, query);
  }

  /** Return the cells of the map that are not plain ground, and its walls and doors: now, or after the commit `at`. */
  map(query = {}) {
    return this.client.get(`${this.path}/map`, query);
  }

  /** Return a creature as an opening takes it: the member `carried` of its entry. */
  async carried(creature, query = {}) {
    return (await this.client.get(`${this.path}/creatures/${creature}/carried`, query)).carried;
  }

  /** Yield the commits after a number, page by page; with `text: "en"` each says in `text` what happened. */
  commits({ after, ...query } = {}) {
    return pages(this.client, `${this.path}/commits`, "commits", { ...query, after });
  }

  /**
   * Yield `{event, id, data}`: every commit after a number once and in order, then each new one, with heartbeats and
   * resets. `after` is a number in `line`, or in the line of play that is played. It reconnects after a lost connection.
   * `continued` names the line in which the encounter continues: read the state again; all later events are of that
   * line. With `text: "en"` each commit says in `text` what happened. `connected` is called with true
   * when a connection is open, with false when it is lost. It ends with the signal, or when the caller stops iterating.
   */
  stream({ after = 0, line, text, signal, connected } = {}) {
    const open = (headers) => {
      const query = headers["Last-Event-ID"] ? { text } : { after, line, text };
      return this.client.fetch(`${this.path}/commits`, query, { headers, signal });
    };
    return this.#noticing(following(open, after, signal, connected));
  }

  async *#noticing(events) {
    for await (const each of events) {
      if (each.event === "commit" && this.signer !== null) this.signer.see(JSON.parse(each.data.commit).encounter, each.data.n, each.data.hash);
      yield each;
    }
  }

  /** Return an address that a browser's `EventSource` opens once, within thirty seconds. */
  async ticket({ after = 0, line, text } = {}) {
    const { ticket } = await this.client.send("POST", `${this.path}/tickets`);
    const query = { after: String(after), ...(line ? { line } : {}), ...(text ? { text } : {}), ticket };
    return `${this.client.url}${this.path}/commits?${new URLSearchParams(query)}`;
  }

  /** Return the lines of play that the encounter had, the first one first; `status` says which is played. */
  async lines() {
    return (await this.client.get(`${this.path}/lines`)).lines;
  }

  /** Return the explanation of commit *n*: its events, rules, rulings and dice. */
  explanation(n) {
    return this.client.get(`${this.path}/commits/${n}/explanation`);
  }

  /** Audit the encounter, or rounds `first_round` to `last_round`, and return the ended audit. @returns {Promise<Json>} */
  audit({ signal, ...rounds } = {}) {
    return jobs(this.client, `${this.path}/audits`, rounds, "audit", signal);
  }

  /** Return the bundle as text: all evidence that the seat may see, for anybody to audit. @returns {Promise<string>} */
  bundle() {
    return this.client.get(`${this.path}/bundle`);
  }

  /** Close the encounter: the seeds of its dice are disclosed, and it accepts no more commands. */
  close(reason, sending = {}) {
    return this.#act("DELETE", "", undefined, { ...sending, query: { reason } }, [{ type: "close", reason: reason ?? "" }]);
  }

  // --- seats -----------------------------------------------------------------------------------------------

  /** Return all seats, including closed ones. */
  async seats() {
    return (await this.client.get(`${this.path}/seats`)).seats;
  }

  /** Return one seat. */
  seat(seat) {
    return this.client.get(`${this.path}/seats/${seat}`);
  }

  /** Open a seat (`seat`, `role`, `creatures`, and the public `key` of its holder, if any) and issue a token for it. */
  openSeat(data, sending = {}) {
    return this.#act("POST", "/seats", data, sending, [{ type: "open_seat", ...data }]);
  }

  /** Return a share link of a seat: a `token` that expires, and the `page` that opens with it. */
  shareSeat(seat, data = {}, sending = {}) {
    return this.client.send("POST", `${this.path}/seats/${seat}/links`, data, sending);
  }

  /** Set the creatures of a seat. */
  changeSeat(seat, creatures, sending = {}) {
    return this.#act("PATCH", `/seats/${seat}`, { creatures }, sending, [{ type: "change_seat", seat, creatures }]);
  }

  /** Close a seat and revoke its token. */
  closeSeat(seat, sending = {}) {
    return this.#act("DELETE", `/seats/${seat}`, undefined, sending, [{ type: "close_seat", seat }]);
  }

  // --- the record -----------------------------------------------------------------------------------------

  /** Return whether a command would be accepted now, as far as this seat can know. */
  preview(command) {
    return this.client.send("POST", `${this.path}/previews`, command);
  }

  /** Return every round so far, with its first and last commit. */
  async rounds() {
    const rounds = [];
    for await (const round of pages(this.client, `${this.path}/rounds`, "rounds")) rounds.push(round);
    return rounds;
  }

  /** Return one round with all its commits. */
  round(round) {
    return whole(this.client, `${this.path}/rounds/${round}`, {}, (page) => [page.commits]);
  }

  /**
   * Return the replay of a round: the state before it, and of each commit the JSON Patch (RFC 6902). With
   * `events: true` each frame has the events and dice too, with `text: "en"` sentences.
   */
  replay(round, query = {}) {
    return whole(this.client, `${this.path}/rounds/${round}/replay`, query, (page) => [page.frames]);
  }

  /** Yield the rolls so far; `round` and `creature` filter them. */
  rolls(query = {}) {
    return pages(this.client, `${this.path}/rolls`, "rolls", query);
  }

  /** Return how often each type of die showed each face, with chi-square. */
  statistics() {
    return this.client.get(`${this.path}/rolls/statistics`);
  }

  /**
   * Return the difference between the commits `from` and `to` as a JSON Patch (RFC 6902), and with `events: true` the
   * events; `to` may be a commit of the encounter `with`.
   */
  diff(query) {
    return whole(this.client, `${this.path}/diff`, query, ({ events }) => [events.start, events.end]);
  }

  /** Yield the encounter's audits. */
  audits() {
    return pages(this.client, `${this.path}/audits`, "audits");
  }

  /** Return one audit; it has a `certificate` when it is `done`. */
  audited(id) {
    return this.client.get(`${this.path}/audits/${id}`);
  }

  /** Have the head signed and return the checkpoint. */
  checkpoint() {
    return this.client.send("POST", `${this.path}/checkpoints`);
  }

  /** Yield the checkpoints so far. */
  checkpoints() {
    return pages(this.client, `${this.path}/checkpoints`, "checkpoints");
  }

  /** Delete the closed encounter's record; *bundle* is the SHA-256 of its bundle, 64 hex digits. */
  remove(bundle, sending = {}) {
    return this.client.send("POST", `${this.path}/removal`, { bundle }, sending);
  }

  /** Return what remains known of a removed encounter. */
  removal() {
    return this.client.get(`${this.path}/removal`);
  }

  // --- contests and amendments ----------------------------------------------------------------------------

  /** Contest a `commit`, an `event` in it, or a `roll`; `claim` says what is wrong. */
  contest(data, sending = {}) {
    return this.#act("POST", "/contests", data, sending, [{ type: "contest", ...data }]);
  }

  /** Return all contests in the order they were opened; with `text: "en"` also what was contested. */
  async contests(query = {}) {
    return (await this.client.get(`${this.path}/contests`, query)).contests;
  }

  /** Return one contest; with `text: "en"` also what was contested. */
  contested(id, query = {}) {
    return this.client.get(`${this.path}/contests/${id}`, query);
  }

  /** Rule on a contest as the gm: `ending`, `decision`, and the ending's fields. */
  rule(id, data, sending = {}) {
    return this.#act("POST", `/contests/${id}/ruling`, data, sending, [rulingCommand(id, data)]);
  }

  /** Undo everything after the commit `to`; with `preview` it is only proposed. */
  undo(data, sending = {}) {
    const { to, reason = "" } = data;
    return this.#amend("/undo", data, sending, { type: "undo", commit: to + 1, reason });
  }

  /** Redo what was undone; with `preview` it is only proposed. */
  redo(data = {}, sending = {}) {
    return this.#amend("/redo", data, sending, { type: "redo", reason: data.reason ?? "" });
  }

  /** Propose an undo or a redo. A seat with a key signs the acceptance when it knows the proposed line, so it sends it apart. */
  async #amend(path, data, sending, command) {
    const isApart = this.signer !== null && !data.preview;
    const proposed = await this.#act("POST", path, isApart ? { ...data, preview: true } : data, sending, [command]);
    return isApart ? this.accept(proposed.amendment, proposed.version) : proposed;
  }

  /** Return a proposal, with the difference between its line and the line as played. */
  amendment(id) {
    return this.client.get(`${this.path}/amendments/${id}`, {}, { wait: WAIT_S });
  }

  /** Accept a proposal that was compared at *version*; the encounter continues in its `line`. */
  async accept(id, version, sending = {}) {
    const command = this.signer === null ? {} : { ...(await this.amendment(id)).acceptance, version };
    return this.#act("POST", `/amendments/${id}/accept`, { version }, sending, command.type ? [command] : []);
  }

  /** Drop a proposal; the line as played continues. */
  drop(id, sending = {}) {
    return this.#act("DELETE", `/amendments/${id}`, undefined, sending, [{ type: "drop_amendment", amendment: id }]);
  }

  /** Fork the encounter after commit *at* and send *commands* to the fork; return the fork as its gm sees it. */
  async fork(at, commands = [], sending = {}) {
    const made = await this.client.send("POST", `${this.path}/forks`, { at, commands }, sending);
    return new Encounter(made.token ? this.client.as(made.token) : this.client, made.encounter);
  }

  /** Return the forks of this encounter: all of them for the gm's seat, its own for another seat. */
  async forks() {
    return (await this.client.get(`${this.path}/forks`)).forks;
  }

  /** Delete a fork now, with every line that continues it. */
  deleteFork(fork, sending = {}) {
    return this.client.send("DELETE", `${this.path}/forks/${fork}`, undefined, sending);
  }
}

// Read an encounter's record: commits with their sentences, and the creatures after each of them. Follow what is new.
//
// The first screen needs the summary and the newest creatures alone. The newest commits come next. All others are read
// by chunks, when somebody looks at them.

import { capital } from "../shared/dom.mjs";
import { tokensOf } from "./names.mjs";

const CHUNK = 100; // commits
const MOST = 500; // commits in a page
const ASIDE = /^(amendment_|continued$)/; // events of a proposal to take something back

/** @typedef {any} Recorded what the text of a commit or of an envelope holds */
/** @typedef {import("../client/contract.mjs").Commit} Commit */
/** @typedef {import("../client/contract.mjs").CommitView} CommitView */
/** @typedef {import("../client/contract.mjs").CreatureChanges["changes"][number]} Change */
/** @typedef {import("../client/contract.mjs").BattleMap} BattleMap */
/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */
/** @typedef {Map<string, import("../client/contract.mjs").CreatureToken>} Tokens creatures by id */
/** @typedef {{n: number, round: number, part: string, tokens: Tokens, mapAt: number}} Scene the creatures after a commit; `mapAt` is the
 *  commit that made its map */
/**
 * @typedef {object} Entry a commit as the log shows it
 * @property {number} n
 * @property {Recorded} commit the commit, read
 * @property {string[]} text a sentence for each event that this seat may read
 * @property {Recorded[]} rolls the rolls of the commit, and those of the envelopes that are open here
 * @property {string[]} sealed who may read each event that is sealed from this seat
 * @property {Set<string>} named every text in its events, to find those that name a creature
 */

/** Add every text in *value* to *found*. @param {any} value @param {Set<string>} found */
const collect = (value, found) => {
  if (typeof value === "string") found.add(value);
  else if (value && typeof value === "object") {
    for (const [name, each] of Object.entries(value)) {
      found.add(name);
      collect(each, found);
    }
  }
  return found;
};

/** Return a commit of a page or of a stream as the log shows it. @param {Commit} data @returns {Entry} */
export const entryOf = (data) => {
  const commit = JSON.parse(data.commit);
  const opened = new Map(data.opened.map((each) => [each.index, JSON.parse(each.payload)]));
  const closed = commit.events.filter((/** @type {Recorded} */ event, /** @type {number} */ index) => "sealed" in event && !opened.has(index));
  const seen = commit.events.map((/** @type {Recorded} */ event, /** @type {number} */ index) => opened.get(index) ?? event);
  return {
    n: data.n,
    commit,
    text: data.text ?? [],
    rolls: [...commit.rolls, ...[...opened.values()].flatMap((payload) => payload.rolls ?? [])],
    sealed: closed.map((/** @type {Recorded} */ event) => event.audience.map((/** @type {string} */ seat) => seat.replace("seat:", "")).join(", ")),
    named: collect(seen, new Set()),
  };
};

/** Return what an undo of a commit takes back, in sentences. @param {Entry} entry @returns {string[]} */
export const lostWith = ({ n, text, sealed, commit }) => {
  if (text.length) return text;
  if (commit.outcome === "refused") return [`#${n}: a command that was refused`];
  return [sealed.length ? `#${n}: what ${[...new Set(sealed)].join(" and ")} did in secret` : `#${n}: a step that shows nothing`];
};

/** Return whether a commit only takes something back, or proposes it. @param {Entry} entry */
const isAside = ({ commit }) => commit.events.some((/** @type {Recorded} */ { type }) => ASIDE.test(type ?? ""));

/**
 * Return what happened after a commit in a line of play that is not played any more, in sentences: in all commits, or the first ones.
 * @param {Encounter} encounter @param {string} line @param {number} after @param {number} [first]
 */
export const lostIn = async (encounter, line, after, first = Infinity) => {
  /** @type {Entry[]} */
  const lost = [];
  for await (const data of encounter.commits({ line, after, text: "en", limit: Math.min(first, MOST) })) {
    lost.push(entryOf(data));
    if (lost.length === first) break;
  }
  return lost.filter((each) => !isAside(each)).flatMap(lostWith);
};

/**
 * Return the scene after *change*, given the one before, if that is known.
 * @param {Scene | undefined} before @param {Change} change @param {boolean} hasAll whether it has all creatures @returns {Scene}
 */
const sceneAfter = (before, change, hasAll) => {
  const tokens = new Map(hasAll ? [] : before?.tokens);
  for (const id of change.gone) tokens.delete(id);
  for (const token of change.creatures) tokens.set(token.id, token);
  const { n, round, part, map } = change;
  return { n, round, part, tokens: tokensOf(tokens.values()), mapAt: map || !before ? n : before.mapAt };
};

/** The record of one line of play, as far as it has been read: its newest commits, and others where they are wanted. */
export class FightRecord {
  /**
   * @param {Encounter} encounter @param {{line?: string, seen_by?: string}} asked
   * @param {number} [size] how many commits are read at a time
   */
  constructor(encounter, { line, seen_by } = {}, size = CHUNK) {
    this.encounter = encounter;
    this.asked = { line, seen_by };
    this.size = size;
    this.limit = Math.min(size, MOST);
    /** @type {Entry[]} the commits; commit n is at n - 1, if it has been read */
    this.entries = [];
    /** @type {Scene[]} the scene after commit n is at n - 1, if it has been read */
    this.scenes = [];
    /** @type {Map<number, Promise<BattleMap | null>>} */
    this.maps = new Map();
    /** @type {Map<number, Promise<unknown>>} */
    this.reading = new Map();
  }

  /** The number of the newest commit that can be shown. */
  get last() {
    return Math.min(this.entries.length, this.scenes.length);
  }

  /** The number of the commit before the last act; refused commands came after it, and did nothing. */
  get beforeLast() {
    let n = this.entries.length;
    while (n > 1 && this.entries[n - 1]?.commit.outcome === "refused") n -= 1;
    return n - 1;
  }

  /** How many chunks the record has, each of `size` commits. */
  get chunks() {
    return this.last ? this.chunkOf(this.last) + 1 : 0;
  }

  /** Return the last sentences of the record. @param {number} count */
  recent(count) {
    /** @type {string[]} */
    const said = [];
    for (let at = this.entries.length - 1; at >= 0 && said.length < count && this.entries[at]; at -= 1) said.unshift(...this.entries[at].text);
    return said.slice(-count).map((text) => /^\((.*)\)$/s.exec(text)?.[1] ?? text).map(capital);
  }

  /** Return the chunk of commit *n*. @param {number} n */
  chunkOf(n) {
    return Math.floor((n - 1) / this.size);
  }

  /** Return the first and the last commit of a chunk. @param {number} chunk @param {number} [last] @returns {[number, number]} */
  within(chunk, last = this.last) {
    return [chunk ? chunk * this.size + 1 : 1, Math.min((chunk + 1) * this.size, last)];
  }

  /** Return whether commit *n* has been read. @param {number} n */
  has(n) {
    return Boolean(this.entries[n - 1] && this.scenes[n - 1]);
  }

  /** Read the newest commits, up to *newest* at first, and whatever is open by now. @param {number} newest */
  async read(newest) {
    if (!this.last) {
      await this.#readChunk(this.chunkOf(newest), newest);
      return;
    }
    await this.#readSealed();
    await this.#readOn();
  }

  /** Read the chunk of commit *n*, unless it has been read. @param {number} n @returns {Promise<unknown>} */
  async ensure(n) {
    const chunk = this.chunkOf(n);
    if (this.has(n)) return;
    if (!this.reading.has(chunk)) this.reading.set(chunk, this.#readChunk(chunk, this.last).finally(() => this.reading.delete(chunk)));
    await this.reading.get(chunk);
  }

  /** Read all of it, the newest chunk first. */
  async ensureAll() {
    for (let chunk = this.chunks - 1; chunk >= 0; chunk -= 1) await this.ensure(this.within(chunk)[0]);
  }

  /** @param {number} chunk @param {number} last */
  async #readChunk(chunk, last) {
    const [first, end] = this.within(chunk, last);
    await Promise.all([this.#readEntries(first - 1, end), this.#readScenes(first - 1, end)]);
  }

  async #readOn() {
    await Promise.all([this.#readEntries(this.entries.length, Infinity), this.#readScenes(this.scenes.length, Infinity)]);
  }

  /** @param {number} after @param {number} end */
  async #readEntries(after, end) {
    for await (const data of this.encounter.commits({ ...this.asked, after, text: "en", limit: this.limit })) {
      this.entries[data.n - 1] = entryOf(data);
      if (data.n >= end) return;
    }
  }

  /** @param {number} after @param {number} end */
  async #readScenes(after, end) {
    for await (const change of this.encounter.creatureChanges({ ...this.asked, after, limit: this.limit })) {
      const { n } = change;
      this.scenes[n - 1] = sceneAfter(this.scenes[n - 2], change, (n - after - 1) % this.limit === 0);
      if (n >= end) return;
    }
  }

  /** Take a commit of the stream, and read what it changed. @param {CommitView} data */
  async take(data) {
    if (this.asked.seen_by) { // the stream shows what the caller's own seat may read
      await this.read(data.n);
      return;
    }
    if (data.n === this.entries.length + 1) this.entries.push(entryOf(data));
    for (const n of new Set(data.revealed.map((each) => each.n))) if (this.entries[n - 1]) await this.#readAgain(n);
    await this.#readScenes(this.scenes.length, Infinity);
  }

  /** Read again what was sealed when it was read: it may be open by now. */
  async #readSealed() {
    const sealed = new Set(this.entries.filter((each) => each.sealed.length).map((each) => this.chunkOf(each.n)));
    for (const chunk of sealed) {
      const [first, end] = this.within(chunk, this.entries.length);
      for await (const data of this.encounter.commits({ ...this.asked, after: first - 1, text: "en", limit: this.limit })) {
        if (this.entries[data.n - 1]?.sealed.length) this.entries[data.n - 1] = entryOf(data);
        if (data.n >= end) break;
      }
    }
  }

  /** Read commit *n* again: it shows what has been opened since. @param {number} n */
  async #readAgain(n) {
    for await (const data of this.encounter.commits({ ...this.asked, after: n - 1, text: "en", limit: 1 })) {
      this.entries[n - 1] = entryOf(data);
      return;
    }
  }

  /** Return the map of a scene; null where there is none. @param {Scene} scene @returns {Promise<BattleMap | null>} */
  async map({ mapAt }) {
    if (!this.maps.has(mapAt)) this.maps.set(mapAt, this.encounter.map({ ...this.asked, at: mapAt }).catch(() => null));
    return await this.maps.get(mapAt) ?? null;
  }
}

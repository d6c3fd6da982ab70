// Read an encounter's record: commits with their sentences, and the creatures after each of them. Follow what is new.
//
// The first screen needs the summary and the newest creatures alone; the rest of the record comes page by page.

const PAGE = 500;

/** @typedef {import("../client/rewound.mjs").Json} Json */
/** @typedef {import("../client/rewound.mjs").Encounter} Encounter */
/** @typedef {Map<string, Json>} Tokens creatures by id */
/** @typedef {{n: number, round: number, tokens: Tokens, mapAt: number}} Scene the creatures after a commit; `mapAt` is the
 *  commit that made its map */
/**
 * @typedef {object} Entry a commit as the log shows it
 * @property {number} n
 * @property {Json} commit the commit, read
 * @property {string[]} text a sentence for each event that this seat may read
 * @property {Json[]} rolls the rolls of the commit, and those of the envelopes that are open here
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

/** Return a commit of a page or of a stream as the log shows it. @param {Json} data @returns {Entry} */
export const entryOf = (data) => {
  const commit = JSON.parse(data.commit);
  const opened = new Map(data.opened.map((each) => [each.index, JSON.parse(each.payload)]));
  const closed = commit.events.filter((event, index) => "sealed" in event && !opened.has(index));
  const seen = commit.events.map((event, index) => opened.get(index) ?? event);
  return {
    n: data.n,
    commit,
    text: data.text ?? [],
    rolls: [...commit.rolls, ...[...opened.values()].flatMap((payload) => payload.rolls ?? [])],
    sealed: closed.map((event) => event.audience.map((seat) => seat.replace("seat:", "")).join(", ")),
    named: collect(seen, new Set()),
  };
};

/** Return the scene after *change*, given the one before. @param {Scene | undefined} before @param {Json} change @returns {Scene} */
const sceneAfter = (before, change) => {
  const tokens = new Map(before?.tokens);
  for (const id of change.gone) tokens.delete(id);
  for (const token of change.creatures) tokens.set(token.id, token);
  return { n: change.n, round: change.round, tokens, mapAt: change.map || !before ? change.n : before.mapAt };
};

/** The record of one line of play, as it has been read so far. */
export class FightRecord {
  /** @param {Encounter} encounter @param {{line?: string, as?: string}} asked */
  constructor(encounter, { line, as } = {}) {
    this.encounter = encounter;
    this.asked = { line, as };
    /** @type {Entry[]} the commits; commit n is at n - 1 */
    this.entries = [];
    /** @type {Scene[]} the scene after commit n is at n - 1 */
    this.scenes = [];
    this.maps = new Map();
  }

  /** The number of the last commit that can be shown. */
  get last() {
    return Math.min(this.entries.length, this.scenes.length);
  }

  /** Read on to the newest commit, and report after each page. @param {() => void} report */
  async read(report) {
    await this.#readSealed();
    await Promise.all([this.#readEntries(report), this.#readScenes(report)]);
  }

  async #readEntries(report) {
    const after = this.entries.length;
    for await (const data of this.encounter.commits({ ...this.asked, after, text: "en", limit: PAGE })) {
      if (data.n === this.entries.length + 1) this.entries.push(entryOf(data));
      if (data.n % PAGE === 0) report();
    }
    report();
  }

  async #readScenes(report) {
    const after = this.scenes.length;
    for await (const change of this.encounter.creatureChanges({ ...this.asked, after, limit: PAGE })) {
      if (change.n === this.scenes.length + 1) this.scenes.push(sceneAfter(this.scenes.at(-1), change));
      if (change.n % PAGE === 0) report();
    }
    report();
  }

  /** Take a commit of the stream, and read what it changed. @param {Json} data */
  async take(data) {
    if (this.asked.as) { // the stream shows what the caller's own seat may read
      await this.read(() => {});
      return;
    }
    if (data.n === this.entries.length + 1) this.entries.push(entryOf(data));
    for (const n of new Set(data.revealed.map((each) => each.n))) await this.#readAgain(n);
    await this.#readScenes(() => {});
  }

  /** Read again what was sealed when it was read: it may be open by now. */
  async #readSealed() {
    const first = this.entries.findIndex((each) => each.sealed.length);
    if (first < 0) return;
    for await (const data of this.encounter.commits({ ...this.asked, after: first, text: "en", limit: PAGE })) {
      if (data.n > this.entries.length) return;
      if (this.entries[data.n - 1].sealed.length) this.entries[data.n - 1] = entryOf(data);
    }
  }

  /** Read commit *n* again: it shows what has been opened since. @param {number} n */
  async #readAgain(n) {
    for await (const data of this.encounter.commits({ ...this.asked, after: n - 1, text: "en", limit: 1 })) {
      this.entries[n - 1] = entryOf(data);
      return;
    }
  }

  /** Return the map of a scene; null where there is none. @param {Scene} scene @returns {Promise<Json | null>} */
  map({ mapAt }) {
    if (!this.maps.has(mapAt)) this.maps.set(mapAt, this.encounter.map({ ...this.asked, at: mapAt }).catch(() => null));
    return this.maps.get(mapAt);
  }
}

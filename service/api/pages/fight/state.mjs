// What the page of a fight knows at any time: the one value that its parts are drawn from.

import { tokensOf } from "./names.mjs";

/** @typedef {import("../client/contract.mjs").Encounter} About */
/** @typedef {import("../client/contract.mjs").Seat} Seat */
/** @typedef {import("../client/contract.mjs").Options} Options */
/** @typedef {{line?: string, seen_by?: string}} Asked the line of play and the view that the address asks for */
/** @typedef {{about: About, newest: import("../client/contract.mjs").CreatureTokens, seat: string, role: string, seats: Seat[], record: import("./record.mjs").FightRecord,
 *  reading: Promise<void>}} First what the first screen needs; `reading` ends when the newest commits of the record are there */
/**
 * @typedef {object} State
 * @property {About} about the summary of the newest commit
 * @property {string} seat one's own
 * @property {string} role what may be done here
 * @property {number} n the commit on screen
 * @property {boolean} isLive whether the newest commit stays on screen
 * @property {number} last the newest commit
 * @property {number} revision changes when more of the record has been read
 * @property {string | null} selected the creature
 * @property {string} panel the one that was opened last
 * @property {Pick<Options, "options" | "version" | "unprompted"> | null} options what may be done; null until it is read
 * @property {Set<string>} targets the creatures that can be picked now
 * @property {import("./proof.mjs").Verified | null} verified
 * @property {import("../client/contract.mjs").Lines["lines"]} lines
 * @property {import("../client/contract.mjs").ListedFork[]} forks
 * @property {number} contested how many contests wait for the gm
 * @property {import("./record.mjs").Tokens} newest the creatures after the newest commit
 * @property {string} fault
 * @property {boolean} isLost whether the connection is
 */

/** Return the state in which a page begins, at the commit that is *wanted*. @param {Pick<First, "about" | "newest" | "seat" | "role">} first @param {number | null} wanted @returns {State} */
export const beginning = ({ about, newest, seat, role }, wanted) => ({
  about, seat, role, n: wanted ?? about.version, isLive: wanted === null, last: about.version, revision: 0, selected: null, panel: "log",
  options: null, targets: new Set(), verified: null, lines: [], forks: [], contested: 0, newest: tokensOf(newest.creatures), fault: "", isLost: false,
});

/** Return what forms of commands know of a table: its creatures. @param {import("./record.mjs").Tokens} tokens @returns {Partial<import("../shared/form.mjs").Form>} */
export const formOf = (tokens) => {
  /** @type {[string, string][]} */
  const creatures = [...tokens.values()].map(({ id, name }) => [id, name]);
  return {
    known: (name) => (/^(creature|target|source|attacker|patient|toward)$/.test(name) ? creatures : undefined),
    listed: (name) => (/^(creatures|targets|subjects|viewers)$/.test(name) ? creatures : undefined),
  };
};

/** Return the parts of rounds, as far as the record has been read. @param {import("./record.mjs").Scene[]} scenes */
export const partsOf = (scenes) => {
  /** @type {{part: string, first: number, last: number}[]} */
  const found = [];
  scenes.forEach(({ n, part }) => {
    const before = found.at(-1);
    if (before && before.part === part && before.last === n - 1) before.last = n;
    else if (part) found.push({ part, first: n, last: n });
  });
  return found;
};

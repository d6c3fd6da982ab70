// Branches of the line of play on screen: where it came from, and what continues from its commits.

/** @typedef {import("../client/rewound.mjs").Json} Json */
/**
 * @typedef {object} Branch
 * @property {number} n the commit on screen from which it departs
 * @property {string} text what it is, in a few words
 * @property {{line?: string | null, n?: number, encounter?: string}} to where a click leads
 */

const KINDS = { undo: "after an undo", redo: "after a redo", as_ruled: "as the gm ruled", fork: "a fork" };
const LEFT = { undo: "were undone", redo: "were left for the redo", as_ruled: "were decided again" };
const LINES = { played: "the line that is played", ended: "an earlier line", proposed: "proposed", dropped: "proposed, and dropped" };

/** @param {number} count */
const commits = (count) => `${count} commit${count === 1 ? "" : "s"}`;

/**
 * Return the branches of a line of play, by the commit from which they depart.
 * @param {{line: string, origin: Json | null, lines: Json[], forks: Json[]}} seen `line` is on screen, `origin` is where it continues from
 * @returns {Branch[]}
 */
export const branchesOf = ({ line, origin, lines, forks }) => {
  const goal = (each) => ({ line: each.status === "played" ? null : each.line });
  const parent = origin && lines.find((each) => each.line === origin.parent);
  const before = parent ? [{
    n: 1, text: `Earlier: #1 to #${origin.n}${parent.version > origin.n ? `, and ${commits(parent.version - origin.n)} that ${LEFT[origin.kind]}` : ""}`, to: { ...goal(parent), n: origin.n },
  }] : origin?.kind === "fork" ? [{ n: 1, text: `Forked from #${origin.n} of another encounter`, to: { encounter: origin.parent, n: origin.n } }] : [];
  const after = lines.filter((each) => each.origin?.parent === line).map((each) => ({
    n: each.origin.n, text: `From #${each.origin.n}: ${LINES[each.status]}, ${KINDS[each.origin.kind]}, ${commits(each.version)}`, to: goal(each),
  }));
  const aside = forks.filter((each) => each.parent === line && each.at).map((each) => ({
    n: each.at, text: `From #${each.at}: a fork by ${each.made_by}`, to: { encounter: each.encounter },
  }));
  return [...before, ...after, ...aside].sort((a, b) => a.n - b.n);
};

/** Return whether commit *n* of a line is part of what is played. @param {Json[]} lines @param {string} line @param {number} n @returns {boolean} */
export const isPlayed = (lines, line, n) => {
  let each = lines.find(({ status }) => status === "played");
  for (let upto = Infinity; each; each = lines.find((other) => other.line === each.origin.parent)) {
    if (each.line === line) return n <= upto;
    if (!each.origin) return false;
    upto = each.origin.n;
  }
  return true; // the line is not listed
};

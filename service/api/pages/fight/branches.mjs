// Branches of the line of play on screen: where it came from, and what continues from its commits.

/** @typedef {import("../client/contract.mjs").Lines["lines"][number]} Line */
/** @typedef {import("../client/contract.mjs").Origin} Origin */
/** @typedef {import("../client/contract.mjs").ListedFork} Fork */
/**
 * @typedef {object} Branch
 * @property {number} n the commit on screen from which it departs
 * @property {string} text what it is, in a few words
 * @property {{line?: string | null, n?: number, encounter?: string}} to where a click leads
 */

const KINDS = { undo: "after an undo", redo: "after a redo", as_ruled: "as the gm ruled", fork: "a fork" };
/** @type {Record<string, string>} */
const LEFT = { undo: "what was undone", redo: "what was left for the redo", as_ruled: "what was decided again" };
const LINES = { played: "the line that is played", ended: "an earlier line", proposed: "proposed", dropped: "proposed, and dropped" };

/** @param {number} count */
const commits = (count) => `${count} commit${count === 1 ? "" : "s"}`;

/**
 * Return what was taken back on the way to a line of play: after which commit, and in which line it is still read.
 * @param {{origin: Origin | null, lines: Line[]}} seen @returns {{n: number, count: number, text: string, line: string}[]}
 */
export const takenBack = ({ origin, lines }) => {
  /** @type {{n: number, count: number, text: string, line: string}[]} */
  const found = [];
  for (let from = origin; from; ) {
    const { parent: wanted, n } = from;
    const parent = lines.find((each) => each.line === wanted);
    if (!parent) break;
    const count = parent.version - n;
    if (count > 0) found.push({ n, count, text: LEFT[from.kind], line: parent.line });
    from = parent.origin;
  }
  return found;
};

/**
 * Return the branches of a line of play, by the commit from which they depart.
 * @param {{line: string, origin: Origin | null, lines: Line[], forks: Fork[]}} seen `line` is on screen, `origin` is where it continues from
 * @returns {Branch[]}
 */
export const branchesOf = ({ line, origin, lines, forks }) => {
  const goal = (/** @type {Line} */ each) => ({ line: each.status === "played" ? null : each.line });
  const taken = takenBack({ origin, lines });
  const before = taken.length ? taken.map(({ n, count, text, line: earlier }) => ({ n, text: `After #${n}: ${text}`, to: { line: earlier, n: n + Math.min(1, count) } })) : origin?.kind === "fork" ? [{ n: 1, text: `Forked from #${origin.n} of another encounter`, to: { encounter: origin.parent, n: origin.n } }] : [];
  const after = lines.flatMap((each) => (each.origin?.parent === line ? [{
    n: each.origin.n, text: `From #${each.origin.n}: ${LINES[each.status]}, ${KINDS[each.origin.kind]}, ${each.version > each.origin.n ? commits(each.version - each.origin.n) : "being decided"}`, to: goal(each),
  }] : []));
  const aside = forks.flatMap((each) => (each.parent === line && each.at ? [{
    n: each.at, text: `From #${each.at}: a fork by ${each.made_by}`, to: { encounter: each.encounter },
  }] : []));
  return [...before, ...after, ...aside].sort((a, b) => a.n - b.n);
};

/** Return whether the line that is played begins with an undo, which a redo brings back. @param {{origin?: Origin | null}} about */
export const mayRedo = ({ origin }) => origin?.kind === "undo";

/** Return whether commit *n* of a line is part of what is played. @param {Line[]} lines @param {string} line @param {number} n @returns {boolean} */
export const isPlayed = (lines, line, n) => {
  let each = lines.find(({ status }) => status === "played");
  for (let upto = Infinity; each; ) {
    if (each.line === line) return n <= upto;
    const { origin } = each;
    if (!origin) return false;
    upto = Math.min(upto, origin.n);
    each = lines.find((other) => other.line === origin.parent);
  }
  return true; // the line is not listed
};

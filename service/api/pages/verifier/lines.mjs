// Parses the lines of a bundle: checks that each is canonical, has its members and is in order, and nothing else.

import { textOf } from "./bytes.mjs";
import { parsed } from "./canonical.mjs";
import { readCheckpoint, readRotation } from "./notes.mjs";
import { either, exactly, from, hash, object, only, seatId, text, uuid, whole } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const LF = 10;
const MOST_BYTES = 256 * 2 ** 20;
const MOST_IN_A_LINE = 8 * 2 ** 20;
const MOST_COMMITS = 1_000_000;

const SHAPES = {
  header: exactly({ kind: text, format: only("rewound/bundle/1"), encounter: uuid, edition: text, seat: seatId }),
  command: either(
    exactly({ kind: text, n: whole, bytes: text }),
    exactly({ kind: text, n: whole, withheld: only(true) }),
  ),
  commit: exactly({ kind: text, n: whole, bytes: text }),
  opened: exactly({ kind: text, n: whole, index: whole, payload: text, salt: hash }),
  disclosure: exactly({ kind: text, lane: whole, epoch: whole, link: hash }),
  key: exactly({ kind: text, name: text, public: hash }, { rotation: text }),
  checkpoint: exactly({ kind: text, note: text }),
  line: exactly({ kind: text, encounter: uuid, parent: uuid, n: whole }),
  trailer: exactly({ kind: text, count: from(0), head: hash, checkpoints: from(0) }),
};

/** The kinds of lines that may follow each kind. */
const END = ["disclosure", "key", "checkpoint", "trailer"];
const NEXT = {
  nothing: ["header"],
  header: ["command", ...END],
  command: ["commit"],
  commit: ["opened", "command", ...END],
  opened: ["opened", "command", ...END],
  disclosure: END,
  key: END.slice(1),
  checkpoint: END.slice(2),
  trailer: ["line"],
  line: ["command"],
};

/**
 * @returns the lines of play, the one that is played last: each `{header, encounter, shared, moments, disclosures, keys,
 *   checkpoints, trailer}`. A moment is a command and its commit: `{n, requestText, commitText, opened}`; `requestText` is null
 *   if the command is withheld. A line begins with the `shared` moments of the line that it continues, and has the keys
 *   and checkpoints up to there. `trailer` is null if the end is missing
 * @throws Verdict `malformed`
 */
export function readLines(bytes) {
  demand(bytes.length <= MOST_BYTES, "malformed", { n: 0 }, "it has more than 256 MiB");
  holdKind(bytes);
  const found = [empty(null, null, [])];
  let before = "nothing";
  for (const line of linesOf(bytes)) {
    const place = { n: found.at(-1).moments.length };
    const entry = lineOf(line, place);
    demand(NEXT[before].includes(entry.kind), "malformed", place, `a line of kind ${entry.kind} cannot follow ${before}`);
    const isTaken = entry.kind === "line" ? takeLine(found, entry) : TAKE[entry.kind](found.at(-1), entry);
    demand(isTaken, "malformed", place, `a line of kind ${entry.kind} is out of order`);
    before = entry.kind;
  }
  if (before === "command") found.at(-1).moments.pop(); // its commit was cut off
  return found.map(withEarlier);
}

const empty = (header, encounter, moments) =>
  ({ header, encounter, shared: moments.length, moments, disclosures: [], keys: [], checkpoints: [], trailer: null, earlier: { keys: [], checkpoints: [] } });

/** Begins a line of play that continues an earlier one of the file. */
function takeLine(found, { encounter, parent: named, n }) {
  const parent = found.find((line) => line.encounter === named);
  const isNew = found.every((line) => line.encounter !== encounter);
  if (!isNew || parent === undefined || n < 1 || n > parent.moments.length) return false;
  const line = empty(found[0].header, encounter, parent.moments.slice(0, n));
  const notes = [...parent.earlier.checkpoints, ...parent.checkpoints].filter(({ size }) => size <= n);
  line.earlier = { keys: [...parent.earlier.keys, ...parent.keys], checkpoints: notes };
  found.push(line);
  return true;
}

/** A line of play with the keys and checkpoints of those before it. */
function withEarlier(line) {
  const keys = new Map([...line.earlier.keys, ...line.keys].map((key) => [key.public, key]));
  return { ...line, keys: [...keys.values()], checkpoints: [...line.earlier.checkpoints, ...line.checkpoints] };
}

/** Checks that the first line is the header of a bundle of this format. */
function holdKind(bytes) {
  const [first] = linesOf(bytes);
  const spelling = first === undefined || first.length > MOST_IN_A_LINE ? null : textOf(first);
  const entry = spelling === null ? undefined : parsed(spelling);
  const isOne = object(entry) && entry.kind === "header" && entry.format === "rewound/bundle/1";
  demand(isOne, "not_a_bundle", {}, "its first line is not a header of the format rewound/bundle/1");
}

/** All complete lines; a last line without LF counts as absent. */
function* linesOf(bytes) {
  let start = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function lineOf(line, place) {
  demand(line.length <= MOST_IN_A_LINE, "malformed", place, "a line of more than 8 MiB");
  const spelling = textOf(line);
  const entry = spelling === null ? undefined : parsed(spelling);
  const isKnown = object(entry) && text(entry.kind) && Object.hasOwn(SHAPES, entry.kind);
  demand(isKnown && SHAPES[entry.kind](entry), "malformed", place, "a line is not valid in a bundle");
  return entry;
}

/** By kind: stores a line in its place, and returns whether it is valid there. */
const TAKE = {
  header(bundle, entry) {
    bundle.header = entry;
    bundle.encounter = entry.encounter;
    return true;
  },

  command({ moments }, entry) {
    const n = moments.length + 1;
    if (entry.n !== n || n > MOST_COMMITS) return false;
    moments.push({ n, requestText: entry.withheld ? null : entry.bytes, commitText: null, opened: [] });
    return true;
  },

  commit({ moments }, entry) {
    moments.at(-1).commitText = entry.bytes;
    return entry.n === moments.length;
  },

  opened({ moments }, entry) {
    const { opened } = moments.at(-1);
    const isNew = opened.every(({ index }) => index !== entry.index);
    opened.push({ index: entry.index, sealed: entry.payload, salt: entry.salt });
    return isNew && entry.n === moments.length;
  },

  disclosure({ disclosures }, entry) {
    const isNew = disclosures.every(({ lane, epoch }) => lane !== entry.lane || epoch !== entry.epoch);
    disclosures.push(entry);
    return isNew;
  },

  key({ keys }, entry) {
    const isNew = keys.every((key) => key.public !== entry.public);
    const rotation = Object.hasOwn(entry, "rotation") ? readRotation(entry.rotation) : null;
    keys.push({ name: entry.name, public: entry.public, rotation });
    return isNew && (rotation !== null || !Object.hasOwn(entry, "rotation"));
  },

  checkpoint({ checkpoints, shared }, entry) {
    const read = readCheckpoint(entry.note);
    if (read === null || (shared > 0 && read.size <= shared)) return false;
    const isNew = checkpoints.every(({ note }) => note !== entry.note);
    const rises = read.size >= (checkpoints.at(-1)?.size ?? 0);
    checkpoints.push({ ...read, note: entry.note });
    return isNew && rises;
  },

  trailer(bundle, entry) {
    bundle.trailer = entry;
    const { length } = bundle.checkpoints;
    return entry.checkpoints === length && (length > 0 || bundle.keys.length === 0);
  },
};

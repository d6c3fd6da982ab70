// Read the lines of a bundle (rewound/bundle/1): their order and their members, nothing of them judged yet.

import { unhex, utf8 } from "./bytes.mjs";
import { NotCanonical, parse } from "./canonical.mjs";
import { parsedCheckpoint } from "./notes.mjs";
import { Fault } from "./verdict.mjs";

const FORMAT = "rewound/bundle/1";
const MAX_BYTES = 256 * 2 ** 20;
const MAX_LINE = 8 * 2 ** 20;
const MAX_COMMITS = 1000000;
const LF = 10;

const TEXT = (value) => typeof value === "string";
const WHOLE = (value) => Number.isInteger(value);
const HASH = (value) => unhex(value) !== null;
const SEAT = (value) => TEXT(value) && /^[a-z0-9][a-z0-9-]{0,23}$/.test(value);

class Wrong extends Error {}

const demand = (holds, why) => {
  if (!holds) throw new Wrong(why);
};

/** Demand that a line has exactly these members beside its kind, each as its test wants it. */
const shaped = (line, members) => {
  const names = Object.keys(line).filter((name) => name !== "kind");
  const wanted = Object.keys(members);
  demand(names.length === wanted.length, `its members are not ${wanted.join(", ")}`);
  for (const name of wanted) demand(name in line && members[name](line[name]), `${name} is not as it must be`);
};

/** Return the evidence in a bundle's bytes; throws a `Fault` that is `malformed`. */
export const readBundle = (bytes) => {
  if (bytes.length > MAX_BYTES) throw new Fault("malformed", 0, `more than ${MAX_BYTES} bytes`);
  const found = {
    header: null, trailer: null, requests: [], commits: [], opened: [], links: [], keys: [], notes: [],
    places: new Set(), sizes: [],
  };
  let line = 0;
  for (const raw of linesOf(bytes)) {
    line += 1;
    const at = Math.max(found.requests.length, found.commits.length);
    try {
      demand(raw.length <= MAX_LINE, `more than ${MAX_LINE} bytes`);
      take(found, parse(raw));
    } catch (fault) {
      if (!(fault instanceof Wrong || fault instanceof NotCanonical)) throw fault;
      throw new Fault("malformed", at, `line ${line}: ${fault.message}`);
    }
  }
  return gathered(found, line);
};

/** Yield every line that ends; what stands behind the last LF was cut off. */
function* linesOf(bytes) {
  let start = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

const gathered = (found, line) => {
  const { header, trailer, requests, commits } = found;
  if (header === null) throw new Fault("malformed", 0, "there is no header");
  if (trailer !== null && requests.length !== commits.length) {
    throw new Fault("malformed", requests.length, `line ${line}: a command without its commit`);
  }
  return {
    encounter: header.encounter,
    edition: header.edition,
    seat: header.seat,
    requests: requests.slice(0, commits.length),
    commits,
    opened: found.opened,
    links: found.links,
    keys: found.keys,
    notes: found.notes,
    sizes: found.sizes,
    count: trailer === null ? commits.length + 1 : trailer.count, // without its end it is cut off
    head: trailer === null ? "" : trailer.head,
  };
};

const take = (found, line) => {
  const isObject = line !== null && typeof line === "object" && !Array.isArray(line);
  demand(isObject, "an object is wanted");
  demand(found.trailer === null, "something follows the trailer");
  demand((line.kind === "header") === (found.header === null), "a bundle begins with its one header");
  demand(TEXT(line.kind) && Object.hasOwn(TAKE, line.kind), "there are no lines of this kind");
  TAKE[line.kind](found, line);
};

const TAKE = {
  header: (found, line) => {
    shaped(line, { format: (value) => value === FORMAT, encounter: TEXT, edition: TEXT, seat: SEAT });
    found.header = line;
  },
  command: (found, line) => {
    const isWithheld = "withheld" in line;
    shaped(line, isWithheld ? { n: WHOLE, withheld: (value) => value === true } : { n: WHOLE, bytes: TEXT });
    const next = found.commits.length + 1;
    demand(line.n === next && found.requests.length === next - 1, `number ${line.n} is out of order`);
    demand(line.n <= MAX_COMMITS, `more than ${MAX_COMMITS} commands`);
    found.requests.push(isWithheld ? null : utf8(line.bytes));
  },
  commit: (found, line) => {
    shaped(line, { n: WHOLE, bytes: TEXT });
    const next = found.commits.length + 1;
    demand(line.n === next && found.requests.length === next, `number ${line.n} is out of order`);
    found.commits.push(utf8(line.bytes));
  },
  opened: (found, line) => {
    shaped(line, { n: WHOLE, index: WHOLE, payload: TEXT, salt: HASH });
    const place = `${line.n}/${line.index}`;
    const isHere = line.n === found.commits.length && line.n === found.requests.length;
    demand(isHere && !found.places.has(place), `envelope ${place} is out of order`);
    found.places.add(place);
    const { n, index } = line;
    found.opened.push({ n, index, payload: utf8(line.payload), salt: unhex(line.salt) });
  },
  disclosure: (found, line) => {
    shaped(line, { lane: WHOLE, epoch: WHOLE, link: HASH });
    const { lane, epoch } = line;
    const isKnown = found.links.some((link) => link.lane === lane && link.epoch === epoch);
    demand(!isKnown, `epoch ${epoch} of lane ${lane} is disclosed twice`);
    found.links.push({ lane, epoch, link: unhex(line.link), n: null });
  },
  key: (found, line) => {
    shaped(line, { ...("rotation" in line ? { rotation: TEXT } : {}), name: TEXT, public: HASH });
    demand(found.notes.length === 0, "a key stands before the checkpoints");
    demand(!found.keys.some((key) => key.digits === line.public), "it is told twice");
    const { name, rotation = null } = line;
    found.keys.push({ name, digits: line.public, public: unhex(line.public), rotation });
  },
  checkpoint: (found, line) => {
    shaped(line, { note: TEXT });
    demand(!found.notes.includes(line.note), "it is told twice");
    const point = parsedCheckpoint(line.note);
    demand(point !== null, "it is no checkpoint");
    const { length } = found.sizes;
    demand(length === 0 || found.sizes[length - 1] <= point.size, "checkpoints stand in the order of their sizes");
    found.notes.push(line.note);
    found.sizes.push(point.size);
  },
  trailer: (found, line) => {
    shaped(line, { checkpoints: WHOLE, count: WHOLE, head: HASH });
    const { length } = found.notes;
    demand(line.checkpoints === length, `${length} checkpoints are here, it counts ${line.checkpoints}`);
    demand(found.keys.length === 0 || length > 0, "there are keys, and no checkpoint that they signed");
    found.trailer = line;
  },
};

/** Return a bundle's bytes, from a text or from bytes. */
export const bytesOf = (bundle) => (typeof bundle === "string" ? utf8(bundle) : new Uint8Array(bundle));


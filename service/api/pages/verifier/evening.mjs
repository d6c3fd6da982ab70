// Judges the fights of an evening together: bundles, and the files that people keep beside them.
//
// Files are told apart by their content, whatever their names. Text files have the names of `EXPECTED`, and count only where
// the reader put them, not in a folder that somebody handed in.

import { isUuid, textOf, toHex, utf8 } from "./bytes.mjs";
import { parsed, spelled, strictly } from "./canonical.mjs";
import { claimedLosses, isIn } from "./heads.mjs";
import { readLines } from "./lines.mjs";
import { commitOf } from "./record.mjs";
import { object, text } from "./shapes.mjs";
import { readTrust } from "./trust.mjs";
import { Verdict, statusOf } from "./verdict.mjs";
import { keyOf, seatKeyOf, verify } from "./verify.mjs";

const EXPECTED = {
  "keys.txt": "a key of 64 hexadecimal digits, or a verifier key",
  "seat-keys.txt": "SEAT:KEY, or an encounter and SEAT:KEY, each seat once",
  "policy.txt": "a policy",
  "fights.txt": "an encounter, and what you like",
};
export const MISSING = 40;

/** A text file of an evening is there twice, or has a line that is not valid. */
export class BadEvening extends Error {}

/**
 * @param {{name: string, bytes: Uint8Array}[]} files
 * @throws BadEvening
 */
export function readEvening(files) {
  const found = {
    bundles: [], receipts: new Map(), certificates: new Map(), proofs: new Map(), keys: [], seatKeys: {}, own: new Map(),
    trust: null, expected: new Map(), unread: [],
  };
  for (const { name, bytes } of inOrder(files)) {
    if (Object.hasOwn(EXPECTED, name)) takeText(found, name, bytes);
    else if (Object.hasOwn(EXPECTED, name.slice(name.lastIndexOf("/") + 1))) found.unread.push(name);
    else if (headerOf(bytes)?.format === "rewound/bundle/1") found.bundles.push({ name, bytes });
    else if (!takeJson(found, bytes)) found.unread.push(name);
  }
  return found;
}

/** Files by their names, as UTF-8 orders them. */
function inOrder(files) {
  const keyed = files.map((file) => [toHex(utf8(file.name)), file]);
  return keyed.sort(([one], [other]) => (one < other ? -1 : Number(one > other))).map(([, file]) => file);
}

/** Yields a row for each fight, judged against its files and what is `held` against all of them; the missing ones come last. */
export function* judgeEvening(evening, held = {}) {
  const seen = new Map();
  for (const { name, bytes } of evening.bundles) {
    const every = linesIn(bytes);
    const [encounter] = every;
    const last = (files) => files.get(every.findLast((line) => files.has(line))) ?? null;
    const trust = held.trust ?? evening.trust ?? undefined;
    const report = verify(bytes, {
      ...held,
      keys: [...(held.keys ?? []), ...evening.keys],
      seatKeys: { ...evening.seatKeys, ...evening.own.get(encounter), ...held.seatKeys },
      signedReceipts: [...(held.signedReceipts ?? []), ...every.flatMap((line) => evening.receipts.get(line) ?? [])],
      certificate: last(evening.certificates),
      log: last(evening.proofs) ?? (trust?.asksLog ? new Uint8Array() : null), // a policy asks for a proof
      trust,
    });
    const unlisted = evening.expected.size > 0 && !every.some((line) => evening.expected.has(line)) ? "it is not in the list" : "";
    const note = seen.has(encounter) ? `the same encounter as ${seen.get(encounter).name}` : unlisted;
    if (report.checked.length > 0) holdTo(report, bytes, every.filter((line) => seen.has(line)).map((line) => seen.get(line)), held);
    for (const line of every) if (!seen.has(line)) seen.set(line, { name, bytes: report.checked.length > 0 ? bytes : null });
    const { title, sides } = whoIn(bytes);
    yield { file: name, encounter, title: title || (evening.expected.get(encounter) ?? ""), sides, report, verdict: report.verdict, note, status: report.status };
  }
  for (const [encounter, why] of missed(evening, seen)) {
    const verdict = { name: "missing", text: "missing", detail: why };
    yield { file: "", encounter, title: evening.expected.get(encounter) ?? "", sides: {}, report: null, verdict, note: "", status: MISSING };
  }
}

/** Says in a report that a sound file of the same fight has another history. */
function holdTo(report, bytes, earlier, held) {
  for (const { name, bytes: other } of earlier) {
    const n = other === null ? null : parted(bytes, other);
    if (n === null) continue;
    const verdict = new Verdict("forked", { n }, `commit ${n} is another one than in ${name}`);
    Object.assign(report, { verdict: verdict.reported(), status: statusOf("forked", held), checked: [] });
    return;
  }
}

/** The first commit at which two sound files differ in a line of play that both have; null if there is none. What a record says was lost may differ. */
function parted(one, two) {
  const lines = readLines(one);
  for (const other of readLines(two)) {
    const mine = lines.find(({ encounter }) => encounter === other.encounter);
    const n = 1 + (mine?.moments ?? []).findIndex(({ commitText }, i) => i < other.moments.length && other.moments[i].commitText !== commitText);
    if (n === 0) continue;
    const losses = [mine, other].flatMap(({ moments }) => claimedLosses(moments.map((moment) => ({ n: moment.n, commit: commitOf(moment), opened: [] }))));
    if (!isIn(losses, n)) return n;
  }
  return null;
}

/** The rows of a table as data: what `rewound verify DIR --json` prints, except for who won. */
export function dataOf(rows, unread) {
  const fights = rows.map(({ file, encounter, title, sides, report, verdict: { name, text: said, detail }, note, status }) => ({
    file, encounter, title, sides, winner: null, commits: report?.checked.length > 0 ? report.counts.commits : null, decisions: countsOf(report?.decisions ?? []),
    unseen: Math.max(0, ...(report?.unseen ?? []).map(({ commits }) => commits)), keys_not_given: askedFor(report?.seat_keys ?? []),
    verdict: { name, text: said, detail }, note, status,
  }));
  return { format: "rewound/evening/1", fights, unread, status: fights.map(({ status }) => status).find((status) => status !== 0) ?? 0 };
}

/** The table as lines of text. */
export function linesOf({ fights, unread, status }) {
  const titles = new Map();
  for (const { title } of fights) titles.set(title, (titles.get(title) ?? 0) + 1);
  const rows = fights.map(({ file, encounter, title, sides, decisions, verdict, note, status: own }) => {
    const named = title && titles.get(title) > 1 ? `${title} ${encounter.slice(0, 8)}` : title || file || encounter;
    const who = Object.entries(sides).map(([side, names]) => `${side}: ${names.join(", ")}`).join(" / ");
    const decided = Object.entries(decisions).map(([kind, count]) => `${count} ${kind}`).join(", ");
    const said = [note, own === 0 ? "" : verdict.detail].filter((each) => each).map((each) => `    ${each}`);
    return [`${verdict.text.padEnd(32)} ${named}`, ...[who, decided && `decided by people: ${decided}`].filter((each) => each).map((each) => `    ${each}`), ...said];
  });
  const asked = [...new Set(fights.flatMap(({ keys_not_given: seats }) => seats))].sort();
  return [
    ...rows.flat(),
    ...unread.map((name) => `not read: ${name}`),
    ...(asked.length > 0 ? [`only the records say whose these keys are: ${asked.join(", ")}; seat-keys.txt pins them`] : []),
    `${fights.length} fights: ${status === 0 ? "nothing is wrong with them" : `something is wrong with ${fights.filter((each) => each.status !== 0).length}`}`,
  ];
}

function countsOf(decisions) {
  const kinds = [...new Set(decisions.map(({ kind }) => kind))].sort();
  return Object.fromEntries(kinds.map((kind) => [kind, decisions.filter((each) => each.kind === kind).length]));
}

function askedFor(keys) {
  const given = new Set(keys.filter((each) => each.given).map(({ seat }) => seat));
  return [...new Set(keys.map(({ seat }) => seat))].filter((seat) => !given.has(seat)).sort();
}

function missed({ expected, receipts, certificates, proofs }, seen) {
  const found = new Map();
  const told = [["it should be there", expected], ["a receipt names it", receipts], ["a certificate names it", certificates], ["a log proof names it", proofs]];
  for (const [why, encounters] of told) {
    for (const encounter of encounters.keys()) if (!seen.has(encounter) && !found.has(encounter)) found.set(encounter, why);
  }
  return found;
}

function firstLines(bytes) {
  const first = bytes.indexOf(10);
  const second = first < 0 ? -1 : bytes.indexOf(10, first + 1);
  return [bytes.subarray(0, first < 0 ? bytes.length : first), first < 0 ? null : bytes.subarray(first + 1, second < 0 ? bytes.length : second)];
}

function canonicalIn(bytes) {
  const spelling = bytes === null ? null : textOf(bytes);
  const value = spelling === null ? undefined : parsed(spelling);
  return object(value) ? value : null;
}

const headerOf = (bytes) => canonicalIn(firstLines(bytes)[0]);

const LINE = utf8('{"encounter":');

/** The ids of the lines of play in a bundle, the encounter's own first; a cut line is none. */
function linesIn(bytes) {
  const found = [headerOf(bytes).encounter];
  for (let at = bytes.indexOf(10) + 1, end = bytes.indexOf(10, at); at > 0 && end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
    if (LINE.every((byte, i) => bytes[at + i] === byte)) found.push(canonicalIn(bytes.subarray(at, end))?.encounter);
  }
  return found.map((each) => (text(each) ? each : ""));
}

/** The title and the sides in the opening of a bundle; empty if it is withheld. */
function whoIn(bytes) {
  const line = canonicalIn(firstLines(bytes)[1]);
  const request = text(line?.bytes) ? strictly(line.bytes) : undefined;
  const opening = object(request) && object(request.data) && object(request.data.opening) ? request.data.opening : {};
  const sides = {};
  for (const each of Array.isArray(opening.creatures) ? opening.creatures : []) {
    const sheet = object(each) ? each.sheet : null;
    if (!object(sheet) || !text(sheet.side) || !text(sheet.name)) continue;
    if (!Object.hasOwn(sides, sheet.side)) Object.defineProperty(sides, sheet.side, { value: [], enumerable: true });
    sides[sheet.side].push(sheet.name);
  }
  return { title: text(opening.title) ? opening.title : "", sides };
}

function takeJson(found, bytes) {
  const spelling = textOf(bytes);
  const data = spelling === null ? undefined : strictly(spelling);
  if (!object(data)) return false;
  const { format, encounter } = data;
  if (text(encounter) && format === "rewound/receipt/1") add(found.receipts, encounter, bytes);
  else if (text(encounter) && format === "rewound/certificate/1") found.certificates.set(encounter, bytes);
  else if (text(encounter) && format === "rewound/log-proof/1") found.proofs.set(encounter, bytes);
  else return (format ?? null) === null && takeAnswer(found, data);
  return true;
}

function takeAnswer(found, answer) {
  const outcomes = Array.isArray(answer.outcomes) ? answer.outcomes : [answer];
  const receipts = outcomes.filter((each) => object(each) && (each.receipt ?? null) !== null).map(({ receipt }) => receipt);
  for (const receipt of receipts) add(found.receipts, object(receipt) && text(receipt.encounter) ? receipt.encounter : "", utf8(spelled(receipt)));
  return receipts.length > 0;
}

const add = (map, key, value) => void map.set(key, [...(map.get(key) ?? []), value]);

function takeText(found, name, bytes) {
  if (name === "policy.txt") {
    if (found.trust !== null) throw new BadEvening(`${name}: there are two`);
    found.trust = readTrust(bytes);
    if (found.trust === null) throw new BadEvening(`${name}: that is not a policy`);
    return;
  }
  const content = textOf(bytes);
  if (content === null) throw new BadEvening(`${name} is not UTF-8`);
  content.replace(/^\ufeff/, "").split("\n").forEach((line, index) => {
    const words = line.replace(/\r$/, "").match(/[^ \t]+/g) ?? [];
    const isRead = words.length === 0 || words[0].startsWith("#") || takeLine(found, name, words);
    if (!isRead) throw new BadEvening(`${name}, line ${index + 1}: ${EXPECTED[name]}`);
  });
}

function takeLine(found, name, words) {
  const [first, ...rest] = words;
  if (name === "fights.txt") {
    found.expected.set(first, rest.join(" "));
    return isUuid(first);
  }
  if (name === "keys.txt") {
    const key = keyOf(first);
    if (key !== null) found.keys.push(key);
    return key !== null && rest.length === 0;
  }
  const pair = words.length > 2 ? null : seatKeyOf(words.at(-1));
  if (pair === null || (words.length === 2 && !isUuid(first))) return false;
  const known = words.length === 1 ? found.seatKeys : found.own.get(first) ?? {};
  const [[seat, key]] = Object.entries(pair);
  if (Object.hasOwn(known, seat) && known[seat] !== key) return false;
  known[seat] = key;
  if (words.length === 2) found.own.set(first, known);
  return true;
}

// Whether a certificate is signed by an accepted key and describes the record that was verified.

import { fromHex, joined, textOf, utf8 } from "./bytes.mjs";
import { parsed, spelled } from "./canonical.mjs";
import { verifies } from "./ed25519.mjs";
import { isName } from "./notes.mjs";
import { digits, exactly, object, text } from "./shapes.mjs";

const FORMAT = "rewound/certificate/1";
const LABEL = joined(utf8(FORMAT), Uint8Array.of(0));
const LF = 10;

const MEMBERS = [
  ...["format", "encounter", "verdict", "log", "ruleset", "dice", "decided", "live_state", "counts", "lines", "decisions", "unseen", "seat_keys", "seats"],
  ...["abandoned_before", "durability", "findings", "verifier", "signature"],
];

const isSignature = exactly({ name: text, public_key: digits(64), value: digits(128) });

/**
 * @param bytes the content of the file: canonical JSON, with an optional line feed at its end
 * @param report the report of a sound bundle: its keys may sign, and the certificate must match its log
 * @param ring the keys of the bundle
 * @returns what does not match; null if everything matches
 */
export function certificateFault(bytes, report, ring) {
  const spelling = textOf(bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes);
  const certificate = spelling === null ? undefined : parsed(spelling);
  if (!object(certificate)) return "it is not canonical JSON";
  return formFault(certificate) ?? signatureFault(certificate, report, ring) ?? recordFault(certificate, report) ?? memberFault(certificate, report);
}

function formFault(certificate) {
  if (certificate.format !== FORMAT) return `it is not of the format ${FORMAT}`;
  if (!Object.hasOwn(certificate, "signature")) return "it is not signed";
  const names = Object.keys(certificate);
  if (names.length !== MEMBERS.length || !names.every((name) => MEMBERS.includes(name))) return "its members are not those of a certificate";
  return isSignature(certificate.signature) ? null : "its signature must have a name, a public_key and a value";
}

function signatureFault(certificate, report, ring) {
  const { name, public_key: publicKey, value } = certificate.signature;
  const message = joined(LABEL, utf8(spelled({ ...certificate, signature: { name, public_key: publicKey } })));
  if (!verifies(fromHex(publicKey), message, fromHex(value))) return "its signature is invalid";
  if (!report.keys.includes(publicKey)) return `it was signed by ${publicKey}, which is not accepted`;
  const origin = ring.originOf(publicKey) ?? name.slice(0, -1 - report.encounter.length);
  const isOurs = isName(origin) && name === `${origin}/${report.encounter}`;
  return isOurs ? null : "its key's name is not that of a key that signs this encounter";
}

function recordFault({ encounter, log }, report) {
  if (encounter !== report.encounter) return "it is of another encounter";
  const isOurs = object(log) && ["size", "head", "root"].every((name) => log[name] === report.log[name]);
  return isOurs ? null : "it is of another record, because its size, head or root differs";
}

const COUNTS = ["commits", "refused", "quarantined", "proposals", "proposals_dropped", "envelopes"];

/** Lists that are compared entry by entry, with the members that every reader computes alike. */
const LISTS = { decisions: ["n", "kind", "seat", "event", "quarantine"], seat_keys: ["seat", "key", "n", "by"] };

/** The members that differ from what was computed here; a value that this reader cannot know is null here. */
function memberFault(certificate, report) {
  const said = report.dice.said ?? {};
  const ours = [
    ["ruleset.edition", report.log.edition],
    ...["algorithm", "mode", "lanes", "seats"].map((name) => [`dice.${name}`, said[name] ?? null]),
    ["abandoned_before", report.dice.abandoned_before],
    ...COUNTS.map((name) => [`counts.${name}`, report.counts[name]]),
  ];
  const wrong = ours.find(([name, value]) => value !== null && !isEqual(at(certificate, name), value))?.[0]
    ?? Object.keys(LISTS).find((name) => !isSameList(certificate[name], report[name], LISTS[name]));
  return wrong === undefined ? null : `its ${wrong} is not that of this record`;
}

const at = (holder, name) => name.split(".").reduce((value, step) => (object(value) && Object.hasOwn(value, step) ? value[step] : undefined), holder);

const isEqual = (one, two) => one !== undefined && spelled(one) === spelled(two);

function isSameList(theirs, ours, members) {
  if (!Array.isArray(theirs) || theirs.length !== ours.length) return false;
  return ours.every((our, index) => {
    const their = theirs[index];
    const names = Object.keys(our);
    if (!object(their) || Object.keys(their).length !== names.length || !names.every((name) => Object.hasOwn(their, name))) return false;
    return members.every((name) => (our[name] ?? null) === null || isEqual(their[name], our[name]));
  });
}

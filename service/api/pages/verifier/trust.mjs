// Policies of C2SP (tlog-policy): which logs and witnesses somebody trusts, and how many witnesses are enough.

import { textOf } from "./bytes.mjs";
import { COSIGNER, LOG, readVerifierKey } from "./notes.mjs";

const MOST_BYTES = 65_536;
const MOST_LINES = 1_000;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const MOST = /^(?:0|[1-9][0-9]{0,8})$/;
const COUNT = /^[1-9][0-9]{0,3}$/;

/** The policy of a verifier that was given none. */
export const NO_POLICY = { logs: [], witnesses: new Map(), groups: new Map(), quorum: "none", unseen: null, asksLog: false };

/**
 * Parses a policy as `{logs, witnesses, groups, quorum, unseen, asksLog}`; null if the bytes are not one. `unseen` is `{commits,
 * decisions}` or null; `asksLog` is whether the policy says anything of the public log.
 */
export function readTrust(bytes) {
  const text = bytes.length > MOST_BYTES ? null : textOf(bytes);
  if (text === null || CONTROL.test(text) || (text !== "" && !text.endsWith("\n"))) return null;
  const lines = text.split("\n").slice(0, -1);
  if (lines.length > MOST_LINES) return null;
  const found = { logs: [], witnesses: new Map(), groups: new Map(), quorum: null, unseen: null, members: new Set() };
  for (const line of lines) {
    const words = line.split(/[ \t]+/).filter((word) => word !== "");
    if (words.length === 0 || words[0].startsWith("#")) continue;
    const [kind, ...rest] = words;
    if (!Object.hasOwn(TAKES, kind) || !TAKES[kind](found, rest)) return null;
  }
  const isOfLog = found.unseen === null || found.logs.length > 0 || found.witnesses.size > 0 || found.groups.size > 0;
  const asksLog = found.quorum !== null;
  return !asksLog && isOfLog ? null : { ...found, quorum: found.quorum ?? "none", asksLog };
}

const isTaken = ({ witnesses, groups }, name) => name === "none" || witnesses.has(name) || groups.has(name);
const isKnown = ({ witnesses, groups }, name) => witnesses.has(name) || groups.has(name);

/** Each kind of line: adds it to what was found, and returns whether it may be there. */
const TAKES = {
  log(found, words) {
    const key = words.length === 1 || words.length === 2 ? readVerifierKey(words[0], LOG) : null;
    if (key === null || found.logs.some((log) => log.public === key.public)) return false;
    found.logs.push(key);
    return true;
  },
  witness(found, words) {
    const [name, line] = words;
    const key = words.length === 2 || words.length === 3 ? readVerifierKey(line, COSIGNER) : null;
    const isSecond = [...found.witnesses.values()].some((witness) => witness.public === key?.public);
    if (key === null || isTaken(found, name) || isSecond) return false;
    found.witnesses.set(name, key);
    return true;
  },
  group(found, words) {
    const [name, needed, ...members] = words;
    if (members.length === 0 || isTaken(found, name)) return false;
    for (const member of members) {
      if (!isKnown(found, member) || found.members.has(member)) return false;
      found.members.add(member);
    }
    const word = new Map([["all", members.length], ["any", 1]]).get(needed);
    const count = word ?? (COUNT.test(needed) ? Number(needed) : 0);
    if (count < 1 || count > members.length) return false;
    found.groups.set(name, { count, members });
    return true;
  },
  quorum(found, words) {
    const [name] = words;
    if (words.length !== 1 || found.quorum !== null || !(name === "none" || isKnown(found, name))) return false;
    found.quorum = name;
    return true;
  },
  unseen(found, words) {
    if (words.length !== 2 || found.unseen !== null || !words.every((word) => MOST.test(word))) return false;
    const [commits, decisions] = words.map(Number);
    found.unseen = { commits, decisions };
    return true;
  },
};

/** Whether the witnesses of these names are enough. */
export function isMet(trust, names) {
  return trust.quorum === "none" || has(trust, trust.quorum, new Set(names));
}

/** The first time at which enough had cosigned, of a map of times by name; null if too few have, or none is asked for. */
export function metAt(trust, times) {
  if (trust.quorum === "none") return null;
  for (const now of [...new Set(times.values())].sort((one, other) => one - other)) {
    const names = [...times].filter(([, time]) => time <= now).map(([name]) => name);
    if (isMet(trust, names)) return now;
  }
  return null;
}

function has(trust, name, names) {
  const group = trust.groups.get(name);
  return group ? group.members.filter((member) => has(trust, member, names)).length >= group.count : names.has(name);
}

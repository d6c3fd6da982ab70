// Hold commits to each other, and requests and envelopes to their commits: what does not fit is `tampered`.

import { hex, uuidBytes } from "./bytes.mjs";
import { commitment } from "./dice.mjs";
import { inOrder } from "./record.mjs";
import { sha256 } from "./sha256.mjs";
import { Fault } from "./verdict.mjs";

const ZEROS = "0".repeat(64);

/** Walk the chain backward from the head, which is believed first; throws a `Fault`. */
export const checkChain = (evidence, commits) => {
  const { count, head } = evidence;
  const last = commits.length;
  if (last > count) throw new Fault("tampered", count + 1, `${last} commits, the head counts ${count}`, { to: last });
  if (last === 0) return;
  let expected = last === count ? head : commits[last - 1].hash;
  for (let n = last; n >= 1; n -= 1) {
    const { hash, prev } = commits[n - 1];
    const who = n === count ? "the head" : `commit ${n + 1}`;
    if (hash !== expected) throw new Fault("tampered", n, `its hash is ${hash.slice(0, 16)}…, ${who} names ${expected.slice(0, 16)}…`);
    expected = prev;
  }
  if (expected !== ZEROS) throw new Fault("tampered", 1, "commit 1 names a commit before it");
  commits.forEach((commit, at) => {
    const isOurs = commit.encounter === evidence.encounter && commit.edition === commits[0].edition;
    if (commit.n !== at + 1 || !isOurs) throw new Fault("tampered", at + 1, `it is commit ${commit.n} of ${commit.encounter}`);
  });
};

/** Hold requests and opened envelopes to what the commits say of them; throws a `Fault`. */
export const checkContents = (evidence, commits) => {
  evidence.requests.forEach((raw, at) => {
    if (raw !== null && hex(sha256(raw)) !== commits[at].request) {
      throw new Fault("tampered", at + 1, "the request is not the one that its commit names");
    }
  });
  const encounter = uuidBytes(evidence.encounter);
  for (const { n, index, salt, payload } of inOrder(evidence.opened)) {
    if (hex(commitment(encounter, salt, payload)) !== commits[n - 1].events[index].sealed) {
      throw new Fault("tampered", n, `what lies in envelope ${index} is not what was sealed`);
    }
  }
};

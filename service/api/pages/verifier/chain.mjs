// Finds changes after the fact: checks commits against the hash chain, and requests and envelopes against commits.

import { toHex, utf8 } from "./bytes.mjs";
import { begunBy } from "./beginnings.mjs";
import { commitment } from "./dice.mjs";
import { sha256 } from "./sha2.mjs";
import { leaf } from "./tree.mjs";
import { demand } from "./verdict.mjs";

const NOTHING = "0".repeat(64);

/** Checks that every commit has the hash that its successor, or the trailer, names; stores the hash of each. */
export function holdChain({ encounter, moments, trailer }) {
  const last = moments.length;
  for (const moment of moments) moment.hash ??= leaf(moment.bytes);
  const count = trailer?.count ?? last + 1;
  demand(last <= count, "tampered", { n: count + 1, to: last }, `there are ${last} commits, and the head counts ${count}`);
  const isNothing = last > 0 || count > 0 || trailer.head === NOTHING;
  demand(isNothing, "tampered", { n: 0 }, `there are no commits, and the head names ${trailer?.head.slice(0, 16)}…`);
  if (last === 0) return;
  let named = count === last ? trailer.head : toHex(moments[last - 1].hash);
  for (let n = last; n > 0; n -= 1) {
    const { hash, commit } = moments[n - 1];
    const namer = n === count ? "the head" : `commit ${n + 1}`;
    const detail = `its bytes have the hash ${toHex(hash).slice(0, 16)}…, ${namer} names ${named.slice(0, 16)}…`;
    demand(toHex(hash) === named, "tampered", { n }, detail);
    named = commit.prev;
  }
  demand(named === NOTHING, "tampered", { n: 1 }, "commit 1 names a previous commit");
  let line = moments[0].commit.encounter;
  for (const { n, commit } of moments) {
    line = begunBy(commit) ?? line;
    const isOfLine = commit.encounter === line && (n < last || line === encounter);
    const belongs = commit.n === n && isOfLine && commit.edition === moments[0].commit.edition;
    demand(belongs, "tampered", { n }, `it is commit ${commit.n} of ${commit.encounter} by ${commit.edition}`);
  }
}

/** Checks that requests and opened envelopes match the hashes in their commits. */
export function holdContents({ moments }) {
  for (const { n, requestText, request, commit } of moments) {
    const fits = requestText === null || toHex(sha256(utf8(requestText))) === commit.request;
    demand(fits, "tampered", { n }, "the request is not the one that its commit names");
    const isOurs = request === null || request.encounter === commit.encounter;
    demand(isOurs, "tampered", { n }, `the request is for encounter ${request?.encounter}`);
  }
  for (const { n, commit, opened } of moments) {
    for (const { index, salt, sealed } of opened) {
      const fits = commitment(commit.encounter, salt, utf8(sealed)) === commit.events[index].sealed;
      demand(fits, "tampered", { n }, `the payload of envelope ${index} does not match its commitment`);
    }
  }
}

/**
 * Checks that every checkpoint has a valid signature by an accepted key, or by a key that precedes an accepted one.
 * @returns `{heads, passedOver}`: the accepted checkpoints, each with its `signer`, and the number signed by older keys
 */
export function holdSignatures({ checkpoints }, ring) {
  const heads = [];
  for (const note of checkpoints) {
    const place = { n: note.size };
    const signer = ring.namedIn(note);
    const named = `the checkpoint of ${note.size} commits`;
    demand(signer !== undefined, "tampered", place, `${named}: no key that the record names has signed it`);
    const fault = ring.faultOf(note, signer);
    demand(fault === null, "tampered", place, `${named}: ${fault}`);
    if (ring.isBelieved(signer)) heads.push({ ...note, signer });
    else demand(ring.isOlder(signer), "tampered", place, `${named}: it was signed by ${signer.public.slice(0, 16)}…, which is not accepted`);
  }
  return { heads, passedOver: checkpoints.length - heads.length };
}

// Checks what seats signed: a command of a seat with a key must be signed by it, once, and on this history.

import { fromHex, isHex, joined, toHex, utf8 } from "./bytes.mjs";
import { repeated } from "./beginnings.mjs";
import { spelled } from "./canonical.mjs";
import { verifies } from "./ed25519.mjs";
import { isIn } from "./heads.mjs";
import { keysAfter } from "./seatkeys.mjs";
import { demand } from "./verdict.mjs";

const LABEL = utf8("rewound/request/1\0");

/**
 * @param {Record<string, string>} pinned keys that the caller knows from elsewhere, by seat: they hold from the first commit
 *   on, and a command that sets the pinned key itself needs no signature
 * @returns how many commands their seats signed
 * @throws Verdict `forged_command`, `forked`, `false_refusal`
 */
export function holdStatements({ moments }, losses, pinned = {}) {
  let keys = new Map();
  const taken = new Set();
  const exempt = repeated(moments);
  for (const moment of moments) {
    const { n, request, commit } = moment;
    if (request !== null) holdRole(moment);
    if (request !== null && !exempt.has(n)) {
      const isOpening = n === 1 && request.actor.seat === "gm"; // there is no commit that it could name
      const key = isOpening ? undefined : keyFor(request, keys, pinned);
      if (commit.refusal?.code === "not_signed") holdRefusal(moment, keys, pinned);
      else if (key !== undefined) {
        holdOne(moments, moment, key, losses);
        holdOnce(moment, taken);
      }
    }
    keys = keysAfter(moment, keys);
  }
  return taken.size;
}

const pinnedKey = (pinned, seat) => (Object.hasOwn(pinned, seat) ? pinned[seat] : undefined);

/** The key that must have signed a request; undefined if it needs no signature. */
function keyFor({ actor: { seat }, type, data, signed }, keys, pinned) {
  const key = pinnedKey(pinned, seat);
  if (key === undefined) return keys.get(seat);
  // A seat that gives itself its pinned key may not be able to sign with it yet.
  const isFirst = signed === undefined && type === "set_seat_key" && spelled(data) === spelled({ seat, key });
  return isFirst ? undefined : key;
}

const isSignedBy = (request, key) =>
  request.signed !== undefined && isHex(key, 64) && verifies(fromHex(key), statement(request), fromHex(request.signed.signature));

/** A command that was refused as not signed is not signed, and its seat has a key. */
function holdRefusal({ n, request }, keys, pinned) {
  const { seat } = request.actor;
  demand(keys.has(seat), "false_refusal", { n }, `${seat} had no key, so it need not sign`);
  const known = [keys.get(seat), pinnedKey(pinned, seat)].filter((key) => key !== undefined);
  demand(!known.some((key) => isSignedBy(request, key)), "false_refusal", { n }, `the command is signed by the key of ${seat}`);
}

/** Another seat that speaks as the gm or as the service, which have no second seat, is forged. */
function holdRole({ n, request: { actor: { seat, role } } }) {
  const isOne = ["gm", "clock"].every((name) => (seat === name) === (role === name));
  demand(isOne, "forged_command", { n }, `the seat ${seat} has the role ${role}`);
}

function holdOne(moments, { n, request }, key, losses) {
  const { actor: { seat }, signed } = request;
  demand(isSignedBy(request, key), "forged_command", { n }, `the command is not signed by the key of ${seat}`);
  const { head } = signed;
  const seen = head.n < n ? moments[head.n - 1] : undefined;
  const isHere = seen !== undefined && toHex(seen.hash) === head.hash;
  const detail = `${seat} signed that commit ${head.n} is ${head.hash.slice(0, 16)}…: another history`;
  demand(isHere || isIn(losses, head.n), "forked", { n }, detail);
}

function holdOnce({ n, request: { actor: { seat }, signed } }, taken) {
  const name = JSON.stringify([seat, signed.key, signed.index]);
  demand(!taken.has(name), "forged_command", { n }, `${seat} signed this command once, and it is on the record twice`);
  taken.add(name);
}

/** The bytes that a seat signs. */
function statement({ encounter, actor: { seat }, type, data, signed: { key, index, head } }) {
  return joined(LABEL, utf8(spelled({ encounter, seat, type, data, key, index, head })));
}

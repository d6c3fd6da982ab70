// Checks what seats signed: a command of a seat with a key must be signed by it, once, and on this history.

import { fromHex, isHex, joined, toHex, utf8 } from "./bytes.mjs";
import { beginnings } from "./beginnings.mjs";
import { spelled } from "./canonical.mjs";
import { verifies } from "./ed25519.mjs";
import { isIn } from "./heads.mjs";
import { publicEvents } from "./record.mjs";
import { object, text } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const LABEL = utf8("rewound/request/1\0");

/**
 * @param {Record<string, string>} pinned keys that the caller knows from elsewhere, by seat: they hold from the first commit
 *   on, and a command that sets the pinned key itself needs no signature
 * @returns how many commands their seats signed
 * @throws Verdict `forged_command`, `forked`
 */
export function holdStatements({ moments }, losses, pinned = {}) {
  const keys = new Map();
  const taken = new Set();
  const repeated = new Set(beginnings(moments).flatMap(({ n, drafted }) => Array.from({ length: drafted - n + 1 }, (_, i) => n + i)));
  for (const moment of moments) {
    const { request, commit } = moment;
    if (request !== null) holdRole(moment);
    const isExempt = repeated.has(moment.n) || (request !== null && sets(request, pinned));
    const key = isExempt ? undefined : pinnedKey(pinned, request?.actor.seat) ?? keys.get(request?.actor.seat);
    if (request !== null && key !== undefined && commit.refusal?.code !== "not_signed") {
      holdOne(moments, moment, key, losses);
      holdOnce(moment, taken);
    }
    for (const event of publicEvents(moment)) follow(event, keys);
  }
  return taken.size;
}

/** The keys that a record leaves the seats with, by seat. */
export function keysAtEnd(moments) {
  const keys = new Map();
  for (const event of moments.flatMap(publicEvents)) follow(event, keys);
  return keys;
}

/** The seats that have a key, each with it. */
export const keysOf = (seats) =>
  new Map(Object.entries(object(seats) ? seats : {}).filter(([, each]) => object(each) && text(each.key)).map(([seat, { key }]) => [seat, key]));

const pinnedKey = (pinned, seat) => (seat !== undefined && Object.hasOwn(pinned, seat) ? pinned[seat] : undefined);

/** Whether a seat gives itself its pinned key, which it may not be able to sign with yet. */
function sets({ actor: { seat }, type, data, signed }, pinned) {
  const key = pinnedKey(pinned, seat);
  return key !== undefined && signed === undefined && type === "set_seat_key" && spelled(data) === spelled({ seat, key });
}

/** Another seat that speaks as the gm or as the service, which have no second seat, is forged. */
function holdRole({ n, request: { actor: { seat, role } } }) {
  const isOne = ["gm", "clock"].every((name) => (seat === name) === (role === name));
  demand(isOne, "forged_command", { n }, `the seat ${seat} has the role ${role}`);
}

function holdOne(moments, { n, request }, key, losses) {
  const { actor: { seat }, signed } = request;
  const isSigned = signed !== undefined && isHex(key, 64) && verifies(fromHex(key), statement(request), fromHex(signed.signature));
  demand(isSigned, "forged_command", { n }, `the command is not signed by the key of ${seat}`);
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

/** Enters the keys that an event sets into `keys`. */
function follow(event, keys) {
  switch (event.type) {
    case "seat_key_set":
      if (text(event.seat) && text(event.key)) keys.set(event.seat, event.key);
      break;
    case "seat_key_removed":
      keys.delete(event.seat);
      break;
    case "encounter_opened":
      for (const each of Array.isArray(event.opening?.seats) ? event.opening.seats : []) {
        if (object(each) && text(each.seat) && text(each.key)) keys.set(each.seat, each.key);
      }
      break;
    case "line_accepted":
      keys.clear();
      for (const [seat, key] of keysOf(event.seats)) keys.set(seat, key);
      break;
    default:
  }
}

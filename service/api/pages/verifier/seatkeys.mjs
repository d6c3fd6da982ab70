// Follows the keys of seats through a record: which key was set when, by whom, and what it spoke for.

import { publicEvents } from "./record.mjs";
import { object, text } from "./shapes.mjs";

/** Each seat whose key an event sets, with the key; null if the event removes it. */
function changesIn({ type, seat, key, opening }) {
  if (type === "seat_key_set" && text(seat) && text(key)) return [[seat, key]];
  if (type === "seat_key_removed" && text(seat)) return [[seat, null]];
  if (type !== "encounter_opened" || !object(opening) || !Array.isArray(opening.seats)) return [];
  return opening.seats.filter((each) => object(each) && text(each.seat) && text(each.key)).map((each) => [each.seat, each.key]);
}

/** Every key that a seat had: `{seat, key, n, by, commands, given}`. */
export function keysOf({ moments }, pinned) {
  const found = [];
  const current = new Map();
  for (const moment of moments) {
    const { n, request } = moment;
    const sender = request === null ? null : request.actor.seat;
    if (request?.signed !== undefined && current.has(sender)) current.get(sender).commands += 1;
    for (const [seat, key] of publicEvents(moment).flatMap(changesIn)) {
      const known = current.get(seat);
      current.delete(seat);
      if (key === null) continue;
      const made = known?.key === key ? known : { seat, key, n, by: sender, commands: 0, given: Object.hasOwn(pinned, seat) && pinned[seat] === key };
      if (made !== known) found.push(made);
      current.set(seat, made);
    }
  }
  return found;
}

// Follows the keys of seats through a record: which key was set when, by whom, and what it spoke for.

import { publicEvents } from "./record.mjs";
import { object, text } from "./shapes.mjs";

/** The keys of seats after a moment, by seat, from those before it. */
export function keysAfter(moment, before) {
  return publicEvents(moment).reduce(after, before);
}

function after(keys, { type, seat, key, opening, seats }) {
  if (type === "seat_key_set" && text(seat) && text(key)) return new Map([...keys, [seat, key]]);
  if (type === "seat_key_removed" && text(seat)) return new Map([...keys].filter(([known]) => known !== seat));
  if (type === "encounter_opened") return new Map([...keys, ...opened(opening)]);
  return type === "line_accepted" ? keysOfSeats(seats) : keys;
}

/** The seats that an opening creates with a key, each with it. */
function opened(opening) {
  const seats = object(opening) && Array.isArray(opening.seats) ? opening.seats : [];
  return seats.filter((each) => object(each) && text(each.seat) && text(each.key)).map(({ seat, key }) => [seat, key]);
}

/** The keys that a record leaves the seats with, by seat. */
export const keysAtEnd = (moments) => moments.reduce((keys, moment) => keysAfter(moment, keys), new Map());

/** The keys in an object of seats as a state has it, by seat. */
export const keysOfSeats = (seats) =>
  new Map(Object.entries(object(seats) ? seats : {}).filter(([, each]) => object(each) && text(each.key)).map(([seat, { key }]) => [seat, key]));

/** Every key that a seat had: `{seat, key, n, by, commands, given}`, in the order of the record and of seats. */
export function keysOf({ moments }, pinned) {
  const found = [];
  const current = new Map();
  let keys = new Map();
  for (const moment of moments) {
    const { n, request } = moment;
    const sender = request === null ? null : request.actor.seat;
    if (request?.signed !== undefined && current.has(sender)) current.get(sender).commands += 1;
    const before = keys;
    keys = keysAfter(moment, before);
    for (const seat of before.keys()) if (!keys.has(seat)) current.delete(seat);
    for (const seat of [...keys.keys()].sort()) {
      const key = keys.get(seat);
      if (before.get(seat) === key) continue;
      const made = { seat, key, n, by: sender, commands: 0, given: Object.hasOwn(pinned, seat) && pinned[seat] === key };
      current.set(seat, made);
      found.push(made);
    }
  }
  return found;
}

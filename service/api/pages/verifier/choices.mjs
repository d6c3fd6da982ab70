// Checks that every choice that a seat opened is the one to which it had committed.

import { fromHex, toHex, utf8 } from "./bytes.mjs";
import { spelled } from "./canonical.mjs";
import { choiceCommitment } from "./dice.mjs";
import { eventsOf } from "./record.mjs";
import { hash, having, matching, object, seatId } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const prompt = matching(/^[ -~]{1,200}$/);

const SHAPES = {
  seat_choice_committed: having({ prompt, seat: seatId, commitment: hash }),
  seat_choice_opened: having({ prompt, seat: seatId, choice: object, salt: hash }),
};

/**
 * A commitment in an envelope that is closed to the reader, or in an earlier line of play, is not known here;
 * then the choice is checked by those who can read it.
 * @param encounter the encounter whose id is in the hashes of the dice
 * @throws Verdict `malformed`, `tampered`
 */
export function holdChoices({ moments }, encounter) {
  const committed = new Map();
  for (const moment of moments) {
    for (const event of eventsOf(moment)) {
      if (Object.hasOwn(SHAPES, event.type)) hold(committed, encounter, event, { n: moment.n });
    }
  }
}

function hold(committed, encounter, event, place) {
  demand(SHAPES[event.type](event), "malformed", place, `the event ${event.type} is not valid`);
  const { prompt, seat } = event;
  if (event.type === "seat_choice_committed") return committed.set(prompt, event);
  const made = committed.get(prompt);
  committed.delete(prompt);
  if (made === undefined) return;
  const shown = choiceCommitment(encounter, seat, prompt, fromHex(event.salt), utf8(spelled(event.choice)));
  const isHeld = made.seat === seat && made.commitment === toHex(shown);
  demand(isHeld, "tampered", place, `the choice of ${seat} is not the one that it committed to`);
}

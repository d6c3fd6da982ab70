// Checks the dice that people throw: the seat that a declared roll names has declared its faces.

import { eventsOf, isEnvelope, rollName } from "./record.mjs";
import { having, listOf, seatId, text, whole } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const isDeclaration = having({ stream: text, seat: seatId, faces: listOf(whole) });

/**
 * The faces that seats have declared so far, by stream, and the rolls that showed them. Where an envelope is closed to the
 * reader, or a fork begins with a state that its parent has, others may have been declared; from there on no roll is compared.
 */
export class DeclaredDice {
  #faces = new Map();
  #seats = new Map();
  #shown = new Map();
  #isKnown = true;

  /** @throws Verdict `malformed` */
  take(moment) {
    for (const event of eventsOf(moment)) {
      if (event.type === "dice_declared") this.#declare(moment, event);
      if (event.type === "forked") this.#isKnown = false;
    }
    const { commit, opened } = moment;
    if (commit.events.filter(isEnvelope).length !== opened.length) this.#isKnown = false;
  }

  #declare({ n }, event) {
    demand(isDeclaration(event), "malformed", { n }, `the event ${event.type} is not valid`);
    const { stream, seat, faces } = event;
    this.#faces.set(stream, [...(this.#faces.get(stream) ?? []), ...faces]);
    this.#seats.set(stream, new Set([...(this.#seats.get(stream) ?? []), seat]));
  }

  /** @throws Verdict `dice_invalid` if a roll is declared and nobody declared its new faces */
  hold(n, roll) {
    const { name: { lane, stream }, dice, source, by } = roll;
    const name = rollName(roll);
    const before = this.#shown.get(name) ?? 0;
    this.#shown.set(name, Math.max(before, dice.length));
    if (source !== "declared" || !this.#isKnown) return;
    const faces = dice.map(({ face }) => face);
    const isTheirs = lane === 0 && (this.#seats.get(stream)?.has(by) ?? false);
    demand(isTheirs && has(this.#faces.get(stream), faces.slice(before)), "dice_invalid", { n, roll: name }, `${by} has not declared these faces`);
  }
}

const isSame = (one, other) => one.length === other.length && one.every((face, i) => face === other[i]);

/** Whether faces stand one after the other among declared ones. */
function has(declared, faces) {
  return declared.some((_, at) => isSame(declared.slice(at, at + faces.length), faces)) || faces.length === 0;
}

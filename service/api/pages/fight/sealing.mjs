// Choices that this seat seals itself: offered as if they were sent, committed to, and opened when it is time.
//
// What opens a choice stays in the tab's session storage: whoever closes the tab before it is opened loses it.

import { seal } from "../client/sealing.mjs";

/** @typedef {import("../client/rewound.mjs").Json} Json */

export class SealedChoices {
  /** @param {import("../client/rewound.mjs").Encounter} encounter @param {string} seat */
  constructor(encounter, seat) {
    Object.assign(this, { encounter, seat });
    /** @type {Map<string, {prompt: Json, types: Set<string>}>} the prompts that wait for a commitment, by creature */
    this.due = new Map();
  }

  /** Return options in which the choices to seal are offers of their own, and the sealed ones can be opened. @param {Json[]} options */
  offered(options) {
    this.due.clear();
    return options.map(({ prompt, commands, ...more }) => ({ ...more, prompt, commands: commands.flatMap((offer) => this.#offered(prompt, offer)) }));
  }

  #offered(prompt, offer) {
    if (offer.seals) {
      this.due.set(prompt.creature, { prompt, types: new Set(offer.seals.map(({ command }) => command.type)) });
      return offer.seals;
    }
    if (offer.command.type !== "open_choice") return [offer];
    const open = sessionStorage.getItem(this.#key(prompt.prompt));
    return open ? [{ command: JSON.parse(open), choices: {} }] : [offer];
  }

  /** Return the command to send for one that was chosen: a commitment to it if it is a choice to seal. @param {Json} command */
  async sent(command) {
    const due = this.due.get(command.creature);
    if (!due?.types.has(command.type)) return command;
    this.chain ??= this.encounter.state().then(({ state }) => state.dice.chain ?? this.encounter.id);
    const made = await seal(await this.chain, this.seat, due.prompt, command);
    sessionStorage.setItem(this.#key(due.prompt.prompt), JSON.stringify(made.open));
    return made.seal;
  }

  #key(prompt) {
    return `sealed ${this.encounter.id} ${this.seat} ${prompt}`;
  }
}

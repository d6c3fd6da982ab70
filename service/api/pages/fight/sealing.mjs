// Choices that this seat seals itself: offered as if they were sent, committed to, and opened when it is time.
//
// What opens a choice stays in the tab's session storage: whoever closes the tab before it is opened loses it.

import { seal } from "../client/sealing.mjs";

/** @typedef {import("../client/contract.mjs").Option} Option */
/** @typedef {import("../client/contract.mjs").Prompt} Prompt */
/** @typedef {any} Offer an offer of the contract, whose command has members of its type */

export class SealedChoices {
  /** @param {import("../client/rewound.mjs").Encounter} encounter @param {string} seat */
  constructor(encounter, seat) {
    this.encounter = encounter;
    this.seat = seat;
    /** @type {Promise<string> | null} */
    this.chain = null;
    /** @type {Map<string | null, {prompt: Prompt, types: Set<string>}>} the prompts that wait for a commitment, by creature */
    this.due = new Map();
  }

  /** Return options in which the choices to seal are offers of their own, and the sealed ones can be opened. @param {Option[]} options */
  offered(options) {
    this.due.clear();
    return options.map(({ prompt, commands, ...more }) => ({ ...more, prompt, commands: commands.flatMap((offer) => this.#offered(prompt, offer)) }));
  }

  /** @param {Prompt} prompt @param {Offer} offer @returns {Offer[]} */
  #offered(prompt, offer) {
    if (offer.seals) {
      this.due.set(prompt.creature, { prompt, types: new Set(offer.seals.map((/** @type {Offer} */ { command }) => command.type)) });
      return offer.seals;
    }
    if (offer.command.type !== "open_choice") return [offer];
    const open = sessionStorage.getItem(this.#key(prompt.prompt));
    return open ? [{ command: JSON.parse(open), choices: {} }] : [offer];
  }

  /** Return the command to send for one that was chosen: a commitment to it if it is a choice to seal. @param {any} command */
  async sent(command) {
    const due = this.due.get(command.creature);
    if (!due?.types.has(command.type)) return command;
    this.chain ??= this.encounter.state().then(({ state }) => /** @type {any} */ (state).dice.chain ?? this.encounter.id);
    const made = await seal(await this.chain, this.seat, { prompt: due.prompt.prompt, creature: command.creature }, command);
    sessionStorage.setItem(this.#key(due.prompt.prompt), JSON.stringify(made.open));
    return made.seal;
  }

  /** @param {string} prompt */
  #key(prompt) {
    return `sealed ${this.encounter.id} ${this.seat} ${prompt}`;
  }
}

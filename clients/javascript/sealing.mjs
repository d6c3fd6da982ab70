// Seal choices: commit to a choice that the service cannot read, and open it once all have committed.

import { canonical, fromHex, joined, sha256, toHex, utf8 } from "./bytes.mjs";

const LABEL = "rewound/dice/1/choice\0";

const measured = (text) => [text.length >> 8, text.length & 255, ...utf8(text)];

/**
 * Return the commands that commit to a choice and open it. Keep `open` until it is asked for: nobody else can open it.
 * @param {string} encounter the id in the hashes of the dice: `dice.chain` of the state if it is set, else the encounter's id
 * @param {string} seat
 * @param {{prompt: string, creature: string}} prompt
 * @param {object} choice the command that is chosen: one of the `seals` of an offer, with its fields
 * @param {string} [salt] 32 bytes in hexadecimal digits; drawn if it is not given
 */
export async function seal(encounter, seat, { prompt, creature }, choice, salt = toHex(crypto.getRandomValues(new Uint8Array(32)))) {
  const where = joined(utf8(LABEL), fromHex(encounter.replaceAll("-", "")), measured(seat), measured(prompt));
  const commitment = toHex(await sha256(joined(where, fromHex(salt), utf8(canonical(choice)))));
  return {
    seal: { type: "seal_choice", creature, prompt, commitment },
    open: { type: "open_choice", creature, prompt, choice, salt },
  };
}

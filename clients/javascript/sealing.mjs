// Seal choices: commit to a choice that the service cannot read, and open it once all have committed.

const LABEL = "rewound/dice/1/choice\0";

const utf8 = (text) => new TextEncoder().encode(text);
const measured = (text) => [text.length >> 8, text.length & 255, ...utf8(text)];
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (digits) => Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** Return the canonical JSON of a value. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/**
 * Return the commands that commit to a choice and open it. Keep `open` until it is asked for: nobody else can open it.
 * @param {string} encounter the id in the hashes of the dice: `dice.chain` of the state if it is set, else the encounter's id
 * @param {string} seat
 * @param {{prompt: string, creature: string}} prompt
 * @param {object} choice the command that is chosen: one of the `seals` of an offer, with its fields
 * @param {string} [salt] 32 bytes in hexadecimal digits; drawn if it is not given
 */
export async function seal(encounter, seat, { prompt, creature }, choice, salt = toHex(crypto.getRandomValues(new Uint8Array(32)))) {
  const hashed = Uint8Array.from([
    ...utf8(LABEL), ...fromHex(encounter.replaceAll("-", "")), ...measured(seat), ...measured(prompt), ...fromHex(salt), ...utf8(canonical(choice)),
  ]);
  const commitment = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", hashed)));
  return {
    seal: { type: "seal_choice", creature, prompt, commitment },
    open: { type: "open_choice", creature, prompt, choice, salt },
  };
}

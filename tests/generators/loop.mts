// Play by options: send what is offered, as it is offered.

/** An offer as every generated client has it. */
export type Offer = { command: { type: string }; asks?: string[] };
export type Option = { prompt: { optional: boolean }; commands: Offer[] };

/** What ends or hurries a fight. */
const LEFT_OUT = new Set(["end_combat", "pass_side", "close", "wait", "rest", "go_unconscious"]);

/** Send up to `most` commands: those that somebody owes first, then the others by turns. */
export async function play(most: number, options: () => Promise<readonly Option[]>, send: (command: Offer["command"]) => Promise<string>): Promise<void> {
  const played: string[] = [];
  while (played.length < most) {
    const owed = [...await options()].sort((one, other) => Number(one.prompt.optional) - Number(other.prompt.optional));
    const offers = owed.flatMap(({ commands }) => commands).filter(({ command, asks }) => !asks?.length && !LEFT_OUT.has(command.type));
    const offer = owed[0]?.prompt.optional ? offers[played.length % Math.max(1, offers.length)] : offers[0];
    if (!offer) throw new Error(`nothing is offered after ${played}`);
    const outcome = await send(offer.command);
    if (outcome !== "accepted") throw new Error(`${offer.command.type} is ${outcome}`);
    played.push(offer.command.type);
  }
  console.log(JSON.stringify(played));
}

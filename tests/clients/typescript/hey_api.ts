// Play by options with the client that @hey-api/openapi-ts makes: nothing here is cast.

import { getOptions, getState, sendCommand } from "./hey";
import { createClient } from "./hey/client";

declare const process: { argv: string[] };

async function play(address: string, key: string, encounter: string, most: number): Promise<void> {
  const client = createClient({ baseUrl: address, headers: { Authorization: `Bearer ${key}` } });
  const path = { encounter };
  const types: string[] = [];
  while (types.length < most) {
    const { data: options, error } = await getOptions({ client, path });
    if (!options) throw new Error(error.title);
    const offer = options.options.flatMap(({ commands }) => commands).find((each) => !("asks" in each));
    if (!offer || "asks" in offer) break;
    const chosen: Record<string, unknown> = {};
    for (const [name, choice] of Object.entries(offer.choices))
      if (Array.isArray(choice)) chosen[name] = choice[choice.length - 1];
    const { data: outcome, error: fault } = await sendCommand({ client, path, body: { ...offer.command, ...chosen } });
    if (!outcome) throw new Error(fault.detail);
    if ("outcomes" in outcome) throw new Error("one command has one outcome");
    for (const event of outcome.events ?? []) {
      if (event.type === "round_started") console.log(`round ${event.round}`);
      if (event.type === "exchange_hit") console.log(`${event.by} hits ${event.creature} by ${event.excess}`);
    }
    types.push(offer.command.type);
  }
  const { data: found } = await getState({ client, path });
  if (found?.state.edition === "heartrush@1")
    for (const { hp, rush } of Object.values(found.state.creatures)) console.log(typeof hp === "number" ? hp + rush : hp.sealed);
  else if (found?.state.edition === "rise@1")
    for (const { position, dr } of Object.values(found.state.creatures)) console.log(position[0] + position[1], dr);
  console.log(JSON.stringify({ edition: found?.state.edition, types }));
}

const [address, key, encounter, most] = process.argv.slice(2);
if (!address || !key || !encounter) throw new Error("usage: ADDRESS KEY ENCOUNTER COMMANDS");
void play(address, key, encounter, Number(most));

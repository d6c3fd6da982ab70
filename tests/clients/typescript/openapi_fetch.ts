// Play by options with a client that openapi-typescript types: nothing here is cast.

import createClient from "openapi-fetch";
import type { paths } from "./schema";

declare const process: { argv: string[] };

async function play(address: string, key: string, encounter: string, most: number): Promise<void> {
  const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${key}` } });
  const params = { path: { encounter } };
  const types: string[] = [];
  while (types.length < most) {
    const { data: options, error } = await client.GET("/v1/encounters/{encounter}/options", { params });
    if (!options) throw new Error(error.title);
    const offer = options.options.flatMap(({ commands }) => commands).find((each) => !("asks" in each));
    if (!offer || "asks" in offer) break;
    const chosen: Record<string, unknown> = {};
    for (const [name, choice] of Object.entries(offer.choices))
      if (Array.isArray(choice)) chosen[name] = choice[choice.length - 1];
    const body = { ...offer.command, ...chosen };
    const { data: outcome, error: fault } = await client.POST("/v1/encounters/{encounter}/commands", { params, body });
    if (!outcome) throw new Error(fault.detail);
    if ("outcomes" in outcome) throw new Error("one command has one outcome");
    for (const event of outcome.events ?? []) {
      if (event.type === "round_started") console.log(`round ${event.round}`);
      if (event.type === "exchange_hit") console.log(`${event.by} hits ${event.creature} by ${event.excess}`);
    }
    types.push(offer.command.type);
  }
  const { data: found } = await client.GET("/v1/encounters/{encounter}/state", { params });
  if (found?.state.edition === "heartrush@1")
    for (const { hp, rush } of Object.values(found.state.creatures)) console.log(typeof hp === "number" ? hp + rush : hp.sealed);
  else if (found?.state.edition === "rise@1")
    // openapi-fetch turns a tuple into a list, whose items may be absent.
    for (const { position: [x = 0, y = 0], dr } of Object.values(found.state.creatures)) console.log(x + y, dr);
  console.log(JSON.stringify({ edition: found?.state.edition, types }));
}

const [address, key, encounter, most] = process.argv.slice(2);
if (!address || !key || !encounter) throw new Error("usage: ADDRESS KEY ENCOUNTER COMMANDS");
void play(address, key, encounter, Number(most));

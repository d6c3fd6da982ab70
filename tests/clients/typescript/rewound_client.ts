// Play by options with our own client: nothing here is cast.

import { Client, Problem, valuesOf, type StreamEvent } from "rewound-client";
import type { Event, Rise1Strike } from "rewound-client/contract";

declare const process: { argv: string[] };

const say = (event: Event): string => {
  if (event.type === "exchange_hit") return `${event.by} hits ${event.creature} by ${event.excess}`;
  if (event.type === "round_started") return `round ${event.round}`;
  return event.type;
};

async function play(address: string, key: string, id: string, most: number): Promise<void> {
  const encounter = new Client(address, key).encounter(id);
  const types: string[] = [];
  while (types.length < most) {
    const { options } = await encounter.options();
    const offer = options.flatMap(({ commands }) => commands).find((each) => !("asks" in each));
    if (!offer || "asks" in offer) break;
    const chosen = Object.fromEntries(Object.entries(offer.choices).map(([name, choice]) => [name, valuesOf(choice).at(-1)]));
    const outcome = await encounter.send({ ...offer.command, ...chosen });
    for (const event of outcome.events ?? []) console.log(say(event));
    types.push(offer.command.type);
  }
  const { state } = await encounter.state();
  if (state.edition === "heartrush@1")
    for (const { hp, rush } of Object.values(state.creatures)) console.log(typeof hp === "number" ? hp + rush : hp.sealed);
  else for (const { position, dr } of Object.values(state.creatures)) console.log(position[0] + position[1], dr);

  const strike: Rise1Strike = { type: "strike", creature: "pia", target: "nobody", weapon: "none" };
  try {
    await encounter.send(strike);
  } catch (fault) {
    if (!(fault instanceof Problem)) throw fault;
    console.log(fault.code, fault.rule);
  }
  const seen: StreamEvent["event"][] = [];
  for await (const { event, data } of encounter.stream()) {
    if (event === "commit") console.log(data.n, data.commit.length);
    seen.push(event);
    if (seen.length > 1) break;
  }
  console.log(JSON.stringify({ edition: state.edition, types }));
}

const [address, key, id, most] = process.argv.slice(2);
if (!address || !key || !id) throw new Error("usage: ADDRESS KEY ENCOUNTER COMMANDS");
void play(address, key, id, Number(most));

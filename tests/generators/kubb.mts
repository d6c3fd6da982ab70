import { getOptions, sendCommand, type Command } from "./client/index.ts";
import { play } from "./loop.mts";

declare const process: { argv: string[] };
const [address, key, encounter, most] = process.argv.slice(2) as [string, string, string, string];
const at = { baseURL: address, headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } };

await play(
  Number(most),
  async () => (await getOptions(encounter, undefined, undefined, at)).options,
  async (command) => {
    const outcome = await sendCommand(encounter, command as Command, undefined, undefined, at);
    if ("outcomes" in outcome) throw new Error("one command has one outcome");
    return outcome.outcome;
  },
);

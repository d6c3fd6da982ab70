import { Api, type Command } from "./client/api.ts";
import { play } from "./loop.mts";

declare const process: { argv: string[] };
const [address, key, encounter, most] = process.argv.slice(2) as [string, string, string, string];
const { v1 } = new Api({ baseUrl: address, baseApiParams: { headers: { Authorization: `Bearer ${key}` } } });

await play(
  Number(most),
  async () => (await v1.getOptions(encounter)).data.options,
  async (command) => {
    const { data } = await v1.sendCommand(encounter, command as Command);
    if ("outcomes" in data) throw new Error("one command has one outcome");
    return data.outcome;
  },
);

import { getOptions, sendCommand, type Command } from "./client/client.ts";
import { play } from "./loop.mts";

declare const process: { argv: string[] };
const [address, key, encounter, most] = process.argv.slice(2) as [string, string, string, string];
const ask = fetch; // the generated functions ask the page's own host
globalThis.fetch = (path, how) => ask(new URL(String(path), address), { ...how, headers: { ...how?.headers, Authorization: `Bearer ${key}` } });

await play(
  Number(most),
  async () => {
    const answer = await getOptions(encounter);
    if (answer.status !== 200) throw new Error(`options: ${answer.status}`);
    return answer.data.options;
  },
  async (command) => {
    const answer = await sendCommand(encounter, command as Command);
    if (answer.status !== 200) throw new Error(`${command.type}: ${JSON.stringify(answer.data)}`);
    if ("outcomes" in answer.data) throw new Error("one command has one outcome");
    return answer.data.outcome;
  },
);

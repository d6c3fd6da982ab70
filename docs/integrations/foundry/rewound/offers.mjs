// Acting: what is legal for this seat, in words, and sending what is chosen.

import { picked } from "./dialogs.mjs";
import { ask, escaped, faultOf, here, say, setting, words } from "./service.mjs";

const isCell = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);

/** Return a value as a player reads it; a path is named by its last cell. */
function label(value) {
  if (value === null || value === "" || (Array.isArray(value) && !value.length)) return say("none");
  if (isCell(value)) return value.join(", ");
  if (Array.isArray(value)) return isCell(value.at(-1)) ? say("to", { cell: value.at(-1).join(", ") }) : value.map(label).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${words(name)} ${label(each)}`).join(", ");
  return words(String(value));
}

/** Return the values of a choice: they are listed, here or in the answer's lists, or cells by rows, or straight paths. */
function valuesOf(choice, lists) {
  if (Array.isArray(choice)) return choice;
  if ("list" in choice) {
    const but = (choice.but ?? []).map((value) => JSON.stringify(value));
    return lists[choice.list].filter((value) => !but.includes(JSON.stringify(value)));
  }
  const upTo = (least, most) => Array.from({ length: most - least + 1 }, (_, at) => least + at);
  if ("cells" in choice) return choice.cells.flatMap(([y, first, last]) => upTo(first, last).map((x) => [x, y]));
  const [x, y] = choice.start;
  return choice.paths.flatMap(([dx, dy, least, most]) =>
    upTo(least, most).map((length) => upTo(1, length).map((i) => [x + dx * i, y + dy * i])));
}

/** Throw the dice that a prompt wants (`heart:d8`) with Foundry's dice, visible to all; return the faces. */
async function thrown(wants) {
  const faces = [];
  for (const wanted of wants) {
    const [role, die] = wanted.split(":");
    const roll = await new Roll(`1${die}`).evaluate();
    await roll.toMessage({ flavor: escaped(role) });
    faces.push(roll.total);
  }
  return faces;
}

/** Return every legal command of this seat with its prompt, its words and the values of its choices, and of which commit they are. */
export async function offered() {
  const { options, lists, version } = await ask("GET", "/options?text=en");
  const offers = options.flatMap(({ prompt, commands }) => commands.map((offer) => ({
    prompt,
    command: offer.command,
    asks: offer.asks ?? [],
    text: offer.text ?? words(offer.command.type),
    choices: Object.fromEntries(Object.entries(offer.choices).map(([name, choice]) => [name, valuesOf(choice, lists)])),
  })));
  return { offers, version };
}

/** Ask for what an offer leaves open, throw what it wants, and send it; null if a window is closed or it is refused. */
export async function choose({ prompt, command, asks, text, choices }) {
  try {
    const fields = [
      ...Object.entries(choices).map(([name, values]) => ({ name, label: words(name), values: values.map(label) })),
      ...asks.map((name) => ({ name, label: words(name) })),
    ];
    const given = fields.length ? await picked(text, fields) : {};
    if (!given) return null;
    const chosen = Object.fromEntries(Object.entries(given).map(([name, at]) => [name, asks.includes(name) ? at : choices[name][at]]));
    const dice = "faces" in command ? { faces: await thrown(prompt.wants) } : {};
    return await ask("POST", "/commands", { ...command, ...chosen, ...dice });
  } catch (problem) {
    ui.notifications.warn(say("fault", { fault: faultOf(problem) }));
    return null;
  }
}

/** Show every legal command of this seat in a window and send the chosen one: for macros. */
export async function act() {
  try {
    const { offers } = await offered();
    if (!offers.length) return ui.notifications.info(say("nothing"));
    const values = offers.map(({ prompt, text }) => [prompt.creature, text].filter(Boolean).join(": "));
    const first = await picked(say("title"), [{ name: "what", label: say("title"), values }]);
    return first && await choose(offers[first.what]);
  } catch (problem) {
    ui.notifications.warn(say("fault", { fault: faultOf(problem) }));
    return null;
  }
}

/** Open the page of the fight in a window, as this player's seat sees it: the token is in a part that browsers do not send. */
export function look() {
  const page = here().replace("/v1/encounters/", "/encounters/");
  return window.open(`${page}#key=${encodeURIComponent(setting("token"))}`, "_blank", "noopener");
}

// The panel: the round, who is asked, and a button for each legal command of this seat.

import { choose, look, offered } from "./offers.mjs";
import { bind, draw, erase } from "./scene.mjs";
import { ask, escaped, faultOf, say, setting } from "./service.mjs";

const { ApplicationV2 } = foundry.applications.api;
const TRIES = 4;
const TOOLS = ["refresh", "look"];
const GM_TOOLS = ["bind", "draw", "erase"];

/** Run a command of the panel and say what fails. */
const tried = (work) => async function run(event, target) {
  try {
    await work.call(this, event, target);
  } catch (problem) {
    ui.notifications.warn(say("fault", { fault: faultOf(problem) }));
  }
};

/** Return the encounter, its creatures and the offers as they are at one commit; in a burst of commits, nearly at one. */
async function atOnce() {
  for (let attempt = 1; ; attempt += 1) {
    const found = await Promise.all([ask("GET", ""), ask("GET", "/creatures"), offered()]);
    if (attempt === TRIES || found.every(({ version }) => version === found[0].version)) return found;
  }
}

export class Panel extends ApplicationV2 {
  static DEFAULT_OPTIONS = {
    id: "rewound-panel",
    window: { title: "REWOUND.title", icon: "fa-solid fa-rotate-left", resizable: true },
    position: { width: 360, height: 480 },
    actions: {
      choose: tried(async function chosen(_event, { dataset }) {
        await choose(this.offers[Number(dataset.at)]);
        await this.render();
      }),
      refresh: tried(function refreshed() { return this.render(); }),
      look: tried(() => look()),
      bind: tried(() => bind()),
      draw: tried(() => draw()),
      erase: tried(() => erase()),
    },
  };

  offers = [];

  async _prepareContext() {
    if (!setting("encounter") || !setting("token")) return { fault: say("seatless") };
    try {
      const [{ round, waiting }, { creatures }, { offers }] = await atOnce();
      const isTwin = ({ id, name }) => creatures.some((each) => each.name === name && each.id !== id);
      const names = new Map(creatures.map((each) => [each.id, isTwin(each) ? `${each.name} (${each.id})` : each.name]));
      const nameOf = ({ creature, seat }) => names.get(creature) ?? creature ?? seat ?? say("everybody");
      return { offers, round, asked: [...new Set(waiting.map(nameOf))], lines: offers.map(({ prompt, text }) => ({ who: nameOf(prompt), text })) };
    } catch (problem) {
      return { fault: faultOf(problem) };
    }
  }

  async _renderHTML({ fault, round, offers = [], asked = [], lines = [] }) {
    const head = fault ?? [round ? say("round", { round }) : say("before"), asked.length && say("asked", { names: asked.join(", ") })]
      .filter(Boolean).join(". ");
    const buttons = lines.map(({ who, text }, at) =>
      `<button type="button" data-action="choose" data-at="${at}">${escaped(`${who}: ${text}`)}</button>`).join("");
    const tools = [...TOOLS, ...(game.user.isGM ? GM_TOOLS : [])].map((name) =>
      `<button type="button" data-action="${name}">${escaped(say(name))}</button>`).join("");
    const html = `<p role="status">${escaped(head)}</p>`
      + `<div class="rewound-offers">${buttons || (fault ? "" : `<p>${escaped(say("nothing"))}</p>`)}</div><div class="rewound-tools">${tools}</div>`;
    return { html, offers };
  }

  _replaceHTML({ html, offers }, content) {
    content.innerHTML = html;
    this.offers = offers; // with its buttons: a click before that is for the offers that were shown
  }
}

let panel = null;

/** Open the panel, or close it if it is open. */
export async function toggle() {
  panel ??= new Panel();
  return panel.rendered ? panel.close() : panel.render({ force: true });
}

/** Show in an open panel what is new. */
export function refresh() {
  if (panel?.rendered) panel.render();
}

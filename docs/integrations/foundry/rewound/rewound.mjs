// Follow a Rewound encounter in Foundry, and send what its options offer: settings, hooks, and who follows.

import { act, look } from "./offers.mjs";
import { refresh, toggle } from "./panel.mjs";
import { bind, draw, erase, fillBars, followWalls, moveTokens, showConditions } from "./scene.mjs";
import { ask, askAsObserver, faultOf, ID, pause, say, setting } from "./service.mjs";
import { Follower } from "./stream.mjs";
import { track } from "./tracker.mjs";

const TRIES = 4;
const RETRY_MS = 2000;

/** Bring scenes and tracker up to date. One part that fails does not stop the others. */
async function update() {
  const [shown, map, head] = await Promise.all(["/creatures", "/map", ""].map((path) => askAsObserver("GET", path)));
  const parts = [() => moveTokens(shown, map), () => fillBars(shown), () => showConditions(shown), () => followWalls(map), () => track(shown, head)];
  const failed = [];
  for (const part of parts) await part().catch((problem) => failed.push(problem));
  if (failed.length) throw Object.assign(failed[0], { isOfScene: true });
}

let isStale = false;
let isUpdating = false;

/** Update once for any number of commits that come meanwhile, and again a few times if it fails. */
async function changed() {
  isStale = true;
  if (isUpdating) return;
  isUpdating = true;
  for (let failures = 0; isStale;) {
    isStale = false;
    try {
      await update();
      failures = 0;
    } catch (problem) {
      failures += 1;
      console.warn("rewound |", problem);
      if (failures < TRIES) {
        isStale = true;
        await pause(RETRY_MS * failures);
      } else if (problem.isOfScene) ui.notifications.warn(say("picture", { fault: faultOf(problem) }));
      // A service that does not answer is what the follower tells; it calls this when it is back.
    }
  }
  isUpdating = false;
}

const follower = new Follower(changed);
const isMine = () => Boolean(game.users.activeGM?.isSelf && setting("token") && setting("encounter"));

/** Follow in one browser alone, the active GM's, so that each commit is posted in the chat once. */
const followIfMine = () => (isMine() ? follower.start() : follower.stop());
const changedHere = (_document, changes) => { if (isMine() && ID in (changes.flags ?? {})) changed(); };

Hooks.once("init", () => {
  const text = (name, scope) => game.settings.register(ID, name, {
    name: `REWOUND.${name}.name`, hint: `REWOUND.${name}.hint`, scope, config: true, type: String, default: "", requiresReload: true,
  });
  text("address", "world");
  text("encounter", "world");
  text("token", "client");
  game.settings.register(ID, "observer", { scope: "client", config: false, type: Object, default: {} });
  game.settings.register(ID, "last", { scope: "world", config: false, type: Object, default: {}, onChange: refresh });
});

Hooks.on("getSceneControlButtons", (controls) => {
  controls.tokens.tools[ID] = {
    name: ID,
    title: "REWOUND.open",
    icon: "fa-solid fa-rotate-left",
    order: Object.keys(controls.tokens.tools).length,
    button: true,
    visible: true,
    onChange: toggle,
  };
});

Hooks.once("ready", () => {
  game.modules.get(ID).api = { act, ask, bind, draw, erase, look, toggle };
  followIfMine();
});
Hooks.on("userConnected", followIfMine); // the active GM left, or another one came
for (const kind of ["Token", "Scene"]) Hooks.on(`update${kind}`, changedHere); // bound, or drawn
Hooks.on("createToken", (token) => changedHere(token, token)); // a copy of a bound one

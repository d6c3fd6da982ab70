// Following: every commit is posted in the chat once, in order, whatever fails meanwhile.

import { ask, askAsObserver, escaped, faultOf, here, ID, observerToken, say, setting } from "./service.mjs";

const SHORTEST_MS = 1000;
const LONGEST_MS = 30_000;
/** Attempts in a row that fail before it is said. */
const SAID_AFTER = 3;

/** Return the last posted commit of this encounter: `n` and its line of play; null if there is none. */
const lastPosted = () => {
  const last = game.settings.get(ID, "last");
  return last.encounter === setting("encounter") ? last : null;
};
const remember = (n, line = lastPosted()?.line ?? setting("encounter")) =>
  game.settings.set(ID, "last", { encounter: setting("encounter"), line, n });
const post = (content) => CONFIG.ChatMessage.documentClass.create({ speaker: { alias: say("title") }, content });

/** Post what one commit says in the chat. The rules stand in its title, which appears under the pointer. */
async function postCommit({ n, commit, text }) {
  const { events = [] } = JSON.parse(commit);
  const rules = [...new Set(events.flatMap(({ because = [] }) => because))].join(", ");
  const lines = text.map((sentence) => `<p>${escaped(sentence)}</p>`);
  if (lines.length) await post(`<div title="${n}: ${escaped(rules)}">${lines.join("")}</div>`);
  await remember(n); // after the message: a crash may repeat the message, but never lose it
}

/** Continue in the new line of play after an undo; commits that it repeats are not posted again. */
async function postContinued({ line, n, origin }) {
  await post(`<p>${escaped(say("again", { n: origin.n }))}</p>`);
  await remember(n, line);
}

const HANDLERS = { commit: postCommit, reset: ({ version }) => remember(version), continued: postContinued };

/** Follows the encounter's stream until it is stopped: after a failure it begins again where it was. */
export class Follower {
  #changed;
  #source = null;
  #timer = null;
  #failures = 0;
  /** Whether the last failure was one of posting, which an open stream does not mend. */
  #isUnposted = false;
  #isOpen = false;
  /** The number of the stream: what belongs to an earlier one is dropped. */
  #stream = 0;

  /** Call `changed` after each commit, and when following begins. */
  constructor(changed) {
    this.#changed = changed;
  }

  start() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#follow();
  }

  stop() {
    this.#isOpen = false;
    this.#end();
  }

  #end() {
    this.#stream += 1;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  /** Open the stream, the first time from now on. A ticket opens it once, so each try takes another. */
  async #follow() {
    const stream = (this.#stream += 1);
    const isThis = () => this.#isOpen && this.#stream === stream;
    try {
      await observerToken(); // opens the seat, so that this is not the first that is posted
      if (lastPosted() === null) {
        const { version, line } = await ask("GET", "");
        await remember(version, line);
      }
      const { ticket } = await askAsObserver("POST", "/tickets", {});
      if (!isThis()) return;
      const { n, line } = lastPosted();
      const source = new EventSource(`${here()}/commits?text=en&line=${line}&after=${n}&ticket=${encodeURIComponent(ticket)}`);
      this.#source = source;
      this.#changed();
      let handled = Promise.resolve(); // one event after the other, as they came
      let hasFailed = false;
      const handle = async (kind, data) => {
        if (hasFailed || !isThis()) return; // it comes again from the last posted one
        try {
          await HANDLERS[kind](data);
          this.#isUnposted = false;
          this.#succeed();
          this.#changed();
          if (kind === "continued" && isThis()) { this.#end(); this.#follow(); }
        } catch (problem) {
          hasFailed = true;
          this.#isUnposted = true;
          if (isThis()) this.#fail(problem);
        }
      };
      for (const kind of Object.keys(HANDLERS)) {
        source.addEventListener(kind, (event) => { handled = handled.then(() => handle(kind, JSON.parse(event.data))); });
      }
      source.addEventListener("open", () => { if (isThis() && !this.#isUnposted) this.#succeed(); });
      source.addEventListener("error", () => {
        source.close();
        handled.then(() => { if (isThis()) this.#fail(new Error(say("silent"))); });
      });
    } catch (problem) {
      if (isThis()) this.#fail(problem);
    }
  }

  #succeed() {
    if (this.#failures >= SAID_AFTER) ui.notifications.info(say("found"));
    this.#failures = 0;
  }

  #fail(problem) {
    this.#end();
    console.warn("rewound |", problem);
    this.#failures += 1;
    if (this.#failures === SAID_AFTER) ui.notifications.warn(say("lost", { fault: faultOf(problem) }), { permanent: true });
    this.#timer = setTimeout(() => this.#follow(), Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (this.#failures - 1)));
  }
}

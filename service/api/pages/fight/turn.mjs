// Whose turn it is, in words: in the header, in the title of the window, and as a notification where a person wants one.

import { words } from "../shared/dom.mjs";

/** @typedef {import("../client/contract.mjs").Encounter} About */
/** @typedef {import("../client/contract.mjs").Prompt} Prompt */

/** Return the prompts that must be answered before play goes on; those that may be, if none must. @param {Prompt[]} waiting */
const asked = (waiting) => {
  const blocking = waiting.filter((each) => !each.optional);
  return blocking.length ? blocking : waiting;
};

/** Return how many prompts ask this seat. @param {About} about @param {string} seat */
export const countOf = (about, seat) => (about.closed ? 0 : asked(about.waiting).filter((each) => each.seat === seat).length);

/**
 * Return who is asked, in a sentence.
 * @param {About} about the summary of the fight @param {Map<string, string>} names of creatures, by id @param {string} seat one's own
 */
export const turnOf = (about, names, seat) => {
  if (about.winner !== null && about.winner !== undefined) return `${words(about.winner)} won`;
  if (about.closed) return "It has ended";
  const found = asked(about.waiting);
  if (!found.length) return about.status === "over" ? "It is over" : "Nobody is asked";
  const said = (/** @type {Prompt} */ each) => names.get(each.creature ?? "") ?? (each.seat ? (each.seat === "gm" ? "the gm" : each.seat) : "a group");
  const mine = found.filter((each) => each.seat === seat);
  const listed = (/** @type {Prompt[]} */ all) => [...new Set(all.map(said))].slice(0, 4).join(" or ");
  if (mine.length) return mine.some((each) => each.creature) ? `Your turn: ${listed(mine.filter((each) => each.creature))}` : "Your turn";
  return `Waits for ${listed(found)}`;
};

/** Tell a person once that something waits, where the window is not looked at and they have allowed it. @param {string} text */
export const notify = (text) => {
  if (document.hidden && "Notification" in globalThis && Notification.permission === "granted") new Notification("Rewound", { body: text, tag: "turn" });
};

/** Return whether a person may still be asked to allow notifications. */
export const mayAsk = () => "Notification" in globalThis && Notification.permission === "default" && globalThis.isSecureContext;

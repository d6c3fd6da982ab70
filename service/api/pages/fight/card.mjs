// The card of the selected creature, on the map: each of its numbers asks why it is what it is.

import { button, html, patch, words } from "../shared/dom.mjs";

/** @typedef {import("../client/contract.mjs").CreatureToken} Token */
/** @typedef {(token: Token) => any} Member reads a member of a token */

/** Return what may be asked of a creature: a text, and the member that it says. @param {Token} token @returns {[string, Member][]} */
const said = ({ hp, hp_max: most, status, position, conditions }) => /** @type {[string, Member][]} */ ([
  ...(hp === null ? [] : [[`${hp} of ${most ?? "?"} hit points`, (/** @type {Token} */ each) => [each.hp, each.hp_max]]]),
  [status, (each) => each.status],
  [`at ${position.join(", ")}`, (each) => each.position],
  ...conditions.map(({ name, level }) => [words(level > 1 ? `${name} ${level}` : name), (/** @type {Token} */ each) => each.conditions.find((other) => other.name === name)?.level]),
]);

/** The card, in an element of its own. */
export class Card {
  /** @param {((id: string, member: Member) => void) | undefined} why finds what made a member what it is @param {((token: Token) => void) | undefined} sheet shows its sheet */
  constructor(why, sheet) {
    this.why = why;
    this.sheet = sheet;
    /** @type {Token | undefined} */
    this.token = undefined;
    this.node = html("div", { id: "card", class: "row", role: "group", "aria-label": "The selected creature", hidden: true });
  }

  /** Draw a creature, or nothing. @param {Token | undefined} token */
  draw(token) {
    if (this.token === token) return;
    const { why, sheet } = this;
    this.token = token;
    this.node.hidden = !token;
    patch(this.node, token && [html("b", {}, token.name), said(token).map(([text, member]) => (why
      ? button(text, () => why(token.id, member), { class: "chip", "aria-label": `${token.name}: ${text}. Why?`, title: "Why?" })
      : html("span", { class: "chip" }, text))), sheet && button("Sheet", () => sheet(token), { key: "sheet", class: "chip", "aria-label": `${token.name}: sheet` })]);
  }
}

/**
 * Return the commit up to *n* that made a member of a creature what it is after commit *n*.
 * @param {import("./record.mjs").FightRecord} record @param {string} id @param {number} n @param {Member} member
 */
export const madeBy = async (record, id, n, member) => {
  const of = async (/** @type {number} */ at) => {
    await record.ensure(at);
    const token = record.scenes[at - 1]?.tokens.get(id);
    return token && JSON.stringify(member(token) ?? null);
  };
  const now = await of(n);
  let at = n;
  while (at > 1 && (await of(at - 1)) === now) at -= 1;
  return at;
};

// Whose view of which line of play is on screen: a choice for the gm, and a note where it is not one's own.

import { at, button, html } from "../shared/dom.mjs";

/** @typedef {import("./state.mjs").Asked} Asked */
/** @typedef {(asked: {line?: string | null, seen_by?: string | null}) => void} Visit */

const AS = /** @type {Record<string, string>} */ ({ "*": "everybody" });

/** Return whose view is on screen, in words. @param {Asked} asked @param {string} seat one's own */
export const viewer = ({ seen_by: as }, seat) => (as ? AS[as] ?? as : seat);

/** Return a choice of whose view is shown. @param {import("./state.mjs").Seat[]} seats @param {Asked} asked @param {Visit} visit */
export const perspectives = (seats, asked, visit) => {
  const others = seats.filter((each) => each.seat !== "gm" && !each.closed).map((each) => [each.seat, each.seat]);
  const pick = html("select", { "aria-label": "Seen as", onchange: () => visit({ seen_by: pick.value || null }) },
    [["", "my own view"], ["*", "everybody"], ...others].map(([value, text]) => html("option", { value, selected: value === (asked.seen_by ?? "") }, text)));
  return html("label", { class: "row small seen-as" }, html("span", { class: "label" }, "Seen as"), pick);
};

/** Say that this is not one's own view of the line that is played. @param {Asked} asked @param {Visit} visit */
export const sayWhatIsSeen = (asked, visit) => {
  const { line, seen_by: as } = asked;
  if (!line && !as) return;
  const said = [line && "This is another line of play than the one that is played.", as && `This is what ${viewer(asked, as)} may see, as far as you may see it too.`];
  at("main").prepend(html("p", { class: "banner", role: "note" }, said.filter(Boolean).join(" "), " ",
    button("Back", () => visit({ line: null, seen_by: null }))));
};

// The creatures of a new fight: from stat blocks by search and count, from a list file, from an earlier fight, or by form.

import { button, capital, faultText, html, words } from "../shared/dom.mjs";
import { cellsFrom, drawBlocks, drawSheet, idOf, newSheet, spaceOf } from "../shared/creature_form.mjs";
import { sayNotes } from "./notes.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("../client/contract.mjs").CreatureToken} Token */
/** @typedef {{id: string, name: string, side: string, position: number[], sheet?: Json, carried?: Json, days_between?: number}} Member a creature of the draft: its sheet, or what it carries over from an earlier fight */
/** @typedef {{name: string, seat: string, creatures: string[]}} Player */
/**
 * @typedef {{step: string, edition: string | null, title: string, cast: Member[], sides: string[], terrain: Record<string, string>, walls: Record<string, string>, scenery: Json,
 *  seats: Player[], options: Json, picture?: {width: number, height: number} | null}} Draft
 */
/**
 * @typedef {{draft: Draft, book: import("../shared/creature_form.mjs").Book | undefined, wanted: string, editing: string | null, faults: Map<string, string>, client: import("../client/rewound.mjs").Client,
 *  search: (wanted: string) => void, edit: (id: string) => void, set: (part: Partial<Draft>) => void, tell: (text: string, isFault?: boolean) => void}} Step what the step reads and does
 */

const ROW = 8; // creatures beside each other before the next row begins
const EARLIER = 20; // fights that are offered

/** Return whether nobody is where a creature of a sheet would stand. @param {Step["book"]} book @param {Member[]} cast @param {number[]} position @param {Json | undefined} sheet */
const isFree = (book, cast, position, sheet) => {
  const taken = new Set(cast.flatMap((each) => cellsFrom(each.position, spaceOf(book, each.sheet))));
  return !cellsFrom(position, spaceOf(book, sheet)).some((each) => taken.has(each));
};

/** Return a free place for a creature of a side: sides face each other. @param {Step["book"]} book @param {Member[]} cast @param {string[]} sides @param {string} side @param {Json | undefined} sheet its sheet */
const freePlace = (book, cast, sides, side, sheet) => {
  for (let number = 0; ; number += 1) {
    const cell = [sides.indexOf(side) * 6 + Math.floor(number / ROW), number % ROW];
    if (isFree(book, cast, cell, sheet)) return cell;
  }
};

/** Return the cast with another creature; those with the same name are numbered, the first one too. @param {Step["book"]} book @param {Draft} draft @param {{name: string, side: string, sheet?: Json, carried?: Json, position?: number[]}} made @returns {Member[]} */
const withOne = (book, draft, { name, side, position, ...rest }) => {
  const same = draft.cast.filter((each) => each.name === name || (each.name.startsWith(`${name} `) && /^ \d+$/.test(each.name.slice(name.length))));
  const cast = draft.cast.map((each) => (each.name === name && !rest.carried && !each.carried ? { ...each, name: `${name} 1` } : each));
  const number = 1 + Math.max(same.length, ...same.map((each) => Number(each.name.slice(name.length)) || 0));
  const called = same.length ? `${name} ${number}` : name;
  return [...cast, { id: idOf(called, cast.map((each) => each.id)), name: called, side, position: position && isFree(book, cast, position, rest.sheet) ? position : freePlace(book, cast, draft.sides, side, rest.sheet), ...rest }];
};

/** What the step knows besides the draft: the side and the count that the next creatures get, and earlier fights. */
const choice = { side: "", count: 1, earlier: /** @type {import("../client/contract.mjs").Encounters["encounters"] | null} */ (null), from: "", cast: /** @type {Token[]} */ ([]) };

/**
 * Draw the step.
 * @param {Step} on
 */
export const drawCreatures = (on) => {
  const { draft, book } = on;
  const side = nextSide(draft);
  const redraw = () => on.set({});
  const add = (/** @type {Json} */ block) => {
    let next = draft;
    for (let number = 0; number < choice.count; number += 1) next = { ...next, cast: withOne(book, next, { name: block.name, side, sheet: structuredClone(block.data) }) };
    choice.count = 1;
    on.set({ cast: next.cast });
  };
  return [html("h2", {}, "Who fights?"), html("div", { class: "two" },
    html("div", { key: "add" },
      html("div", { class: "row", key: "how" }, html("label", { for: "side" }, "Side"), html("select", { id: "side", onchange: (event) => { choice.side = event.target.value; redraw(); } }, draft.sides.map((each) => html("option", { key: each, value: each, selected: each === side }, words(each)))),
        html("label", { for: "how-many" }, "How many"), html("input", { id: "how-many", type: "number", min: 1, max: 20, value: choice.count, oninput: (event) => { choice.count = Math.max(1, Math.min(20, Number(event.target.value) || 1)); redraw(); } }),
        button("One more side", () => on.set({ sides: [...draft.sides, `side-${draft.sides.length + 1}`] }), { class: "quiet" })),
      book?.blocks.length ? drawBlocks(book.blocks, on.wanted, on.search, add, "block") : null,
      html("div", { class: "row", key: "more" }, book?.sheet && button("A sheet of its own", () => {
        const cast = withOne(book, draft, { name: "Hero", side, sheet: newSheet(book, "hero", "Hero", side) });
        on.set({ cast });
        on.edit(cast[cast.length - 1].id);
      }, { class: "own-sheet" }),
      html("label", { class: "drop-here" }, "A list of creatures (table, JSON, YAML, stat blocks)", html("input", { type: "file", class: "visually-hidden", accept: ".csv,.tsv,.txt,.json,.jsonl,.yaml,.yml,.md,.xml,.html", onchange: (event) => takeList(on, event.target.files[0]) }))),
      earlier(on, side, redraw)),
    html("div", { key: "cast" }, html("h3", {}, `In the fight: ${draft.cast.length}`), draft.cast.length ? html("ul", { class: "cast" }, draft.cast.map((each, index) => member(on, each, index))) : html("p", { class: "soft" }, "Nobody yet. Choose from the stat blocks."),
      [...on.faults].filter(([pointer]) => /^\/(creatures|sides)/.test(pointer)).map(([pointer, text]) => html("p", { class: "fault small", role: "alert", key: pointer }, `${capital(words(pointer.slice(1).replaceAll("/", " ")))}: ${text}`))))];
};

/** Draw a creature of the draft. @param {Step} on @param {Member} each @param {number} index */
const member = (on, each, index) => {
  const { draft, book } = on;
  const change = (/** @type {Partial<Member>} */ part) => on.set({ cast: draft.cast.map((other) => (other.id === each.id ? { ...other, ...part } : other)) });
  const below = `/creatures/${index}/sheet`;
  const faults = new Map([...on.faults].filter(([pointer]) => pointer.startsWith(below)).map(([pointer, text]) => [pointer.slice(below.length), text]));
  return html("li", { key: each.id, "data-member": each.id }, html("div", { class: "row" },
    html("input", { type: "text", "aria-label": `Name of ${each.name}`, value: each.name, maxlength: 60, oninput: (event) => change({ name: event.target.value }) }),
    html("select", { "aria-label": `Side of ${each.name}`, onchange: (event) => change({ side: event.target.value, position: freePlace(book, draft.cast, draft.sides, event.target.value, each.sheet) }) }, draft.sides.map((side) => html("option", { key: side, value: side, selected: side === each.side }, words(side)))),
    each.sheet && button("Sheet", () => on.edit(each.id), { "aria-expanded": String(on.editing === each.id), "aria-label": `Sheet of ${each.name}` }),
    button("✕", () => on.set({ cast: draft.cast.filter((other) => other.id !== each.id), seats: draft.seats.map((seat) => ({ ...seat, creatures: seat.creatures.filter((id) => id !== each.id) })) }), { "aria-label": `Take out ${each.name}` })),
  on.editing === each.id && each.sheet && book?.sheet ? html("div", { class: "sheet" }, drawSheet(book, { ...each.sheet, name: each.name, side: each.side }, (sheet) => change({ sheet, name: sheet.name, side: sheet.side }), { id: `sheet-${each.id}`, faults, sides: draft.sides })) : null);
};

/** Return the side that the next creatures get. @param {Draft} draft */
const nextSide = ({ sides }) => (sides.includes(choice.side) ? choice.side : sides[0]);

/** Take a list of creatures of another tool: whose cells are taken stands on free ones. @param {Step} on @param {File | undefined} file */
export const takeList = async (on, file) => {
  const { book } = on, { edition } = on.draft, side = nextSide(on.draft);
  if (!file || !book || !edition) return;
  try {
    const made = await on.client.importFile(file, { edition, kind: "creatures", side });
    const creatures = /** @type {Json[]} */ (made.part.creatures ?? []);
    let next = on.draft, moved = 0;
    for (const { sheet, position, carried, ...entry } of creatures) {
      const own = sheet ?? { ...book.blocks.find((each) => each.id === entry.stat_block)?.data };
      const name = own.name && !entry.name ? own.name : entry.name ?? "Creature";
      const of = sheet?.side ?? entry.side ?? side;
      if (!next.sides.includes(of)) next = { ...next, sides: [...next.sides.filter((each) => next.cast.some((other) => other.side === each)), of] };
      next = { ...next, cast: withOne(book, next, { name, side: of, position, ...(carried ? { carried } : { sheet: own }) }) };
      moved += Number(position && String(next.cast[next.cast.length - 1].position) !== String(position));
    }
    on.tell(`${file.name} was read. ${sayNotes(made.notes)}${moved ? ` The cells of ${moved} were taken: they stand on free ones.` : ""}`, false);
    on.set({ cast: next.cast, sides: next.sides });
  } catch (fault) {
    on.tell(`${file.name}: ${faultText(fault)}`);
  }
};

/** Draw the characters of earlier fights: each enters as it stood. @param {Step} on @param {string} side @param {() => void} redraw */
const earlier = (on, side, redraw) => {
  const { book, client, draft } = on;
  const read = async () => {
    const found = choice.earlier = /** @type {NonNullable<typeof choice.earlier>} */ ([]);
    for await (const each of client.encounters({ edition: draft.edition ?? undefined })) {
      found.push(each);
      if (found.length >= EARLIER) break;
    }
    redraw();
  };
  const take = async (/** @type {string} */ id) => {
    choice.from = id;
    choice.cast = id ? await client.encounter(id).creatures().catch(() => []) : [];
    redraw();
  };
  const bring = async (/** @type {Token} */ { id, name }) => {
    try {
      const carried = await client.encounter(choice.from).carried(id);
      on.set({ cast: withOne(book, draft, { name, side, carried }) });
    } catch (fault) {
      on.tell(capital(faultText(fault)));
    }
  };
  return html("details", { key: "earlier", ontoggle: (event) => event.currentTarget.open && choice.earlier === null && read() }, html("summary", {}, "Characters of an earlier fight"),
    html("div", { class: "field" }, html("label", { for: "earlier" }, "The fight"), html("select", { id: "earlier", onchange: (event) => take(event.target.value) }, html("option", { value: "" }, "choose"),
      (choice.earlier ?? []).map((each) => html("option", { key: each.encounter, value: each.encounter, selected: each.encounter === choice.from }, `${each.title || "Without a title"} (${new Date(each.opened).toLocaleDateString()})`)))),
    html("div", { class: "row wrap" }, (choice.cast ?? []).map((each) => button(each.name, () => bring(each), { key: each.id }))));
};

// Draw the map: its cells, the creatures as tokens, and what can be chosen now.
//
// A side has a colour and a form, a status has a mark: colours never say anything alone.

import { button, html, put, say, show, svg, words } from "../shared/dom.mjs";
import { Camera, MARGIN } from "./camera.mjs";
import { bare, lettersOf } from "./names.mjs";

/** @typedef {import("../client/contract.mjs").CreatureToken} Token */
/** @typedef {import("../client/contract.mjs").BattleMap} Answer the answer of `map` */
/** @typedef {Omit<Answer["rows"][number], "row"> & {cell: number[]}} Cell */
/** @typedef {Answer["edges"][number]} Edge */
/** @typedef {{cells: Cell[], edges: Edge[], light: string}} Ground the answer of `map`, cell by cell */
/** @typedef {Pick<Answer, "rows" | "edges" | "light">} Drawable what of an answer of `map` is drawn */
/** @typedef {{form: SVGElement, letters: SVGElement, name: SVGElement, bar: SVGElement, mark: SVGElement, title: SVGElement}} Parts of a token */
/** @typedef {{node: SVGElement, body: SVGElement, parts: Parts, token: Token | null, isSelected: boolean, isTarget: boolean, isUnder: boolean}} Drawn */
/** @typedef {import("./record.mjs").Tokens} Tokens */
/** @typedef {{path: number[][], feet: number, provokes: string[]}} Foreseen a way, its cost, and the ids of whom it provokes */

const LEAST = 6; // cells across
const NAME = { px: 12, most: 0.22, glyph: 0.6, room: 0.96 }; // most and room in cells; a glyph is so wide for its height
const SMALL_PX = 46; // pixels of a cell in which no name can be read
const CELL_FT = 5;
const DRAG = 6; // pixels before a press on a token is a drag
/** @type {Record<string, string>} what a status that is not "active" is called */
const PLACES = { down: "down", dead: "dead", gone: "gone" };

/** @type {Record<string, string>} the mark of such a status on a token */
const MARKS = { down: "z", dead: "✕", gone: "↗" };

/** The outlines of tokens by side, in a space from -0.42 to 0.42. */
const FORMS = [
  "M-.42 0a.42.42 0 1 0 .84 0a.42.42 0 1 0-.84 0z",
  "M-.38-.38h.76v.76h-.76z",
  "M0-.46.46 0 0 .46-.46 0z",
  "M-.24-.42h.48l.24.42-.24.42h-.48l-.24-.42z",
];

/** Return the box that shows all creatures, cells and edges. @param {Iterable<Token>} tokens @param {Ground} ground */
const boxOf = (tokens, { cells, edges }) => {
  const xs = [], ys = [];
  for (const { position: [x, y], space } of tokens) {
    xs.push(x, x + space);
    ys.push(y, y + space);
  }
  const isMore = (/** @type {Cell} */ { terrain, water, height_ft: height, zones }) => terrain !== "normal" || water || height || zones.length;
  for (const [x, y] of [...cells.filter(isMore).map(({ cell }) => cell), ...edges.flatMap(({ between }) => between)]) {
    xs.push(x, x + 1);
    ys.push(y, y + 1);
  }
  if (!xs.length) return { x: -5, y: -4, width: 10, height: 8 };
  const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const [width, height] = [Math.max(LEAST, right - left + 2 * MARGIN), Math.max(LEAST, bottom - top + 2 * MARGIN)];
  return { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
};

/** Return what a token is called for people who do not see it. @param {Token} token @param {string} [letters] those on it */
export const described = (token, letters = "") => {
  const parts = [letters && !token.name.toUpperCase().startsWith(letters) ? `${token.name} (${letters})` : token.name, token.side, `at ${token.position.join(", ")}`];
  if (token.hp !== null) parts.push(`${token.hp} of ${token.hp_max ?? "?"} hit points`);
  if (token.status !== "active") parts.push(token.status);
  if (token.height_ft) parts.push(`${token.height_ft} ft up`);
  if (token.hidden) parts.push("hidden");
  if (token.acts) parts.push("may act");
  return [...parts, ...token.conditions.map(({ name, level }) => words(level > 1 ? `${name} ${level}` : name))].join(", ");
};

/** Return what of a name fits between the neighbours of its token. @param {string} name @param {number} space @param {number} size in cells */
const fitted = (name, space, size) => {
  const most = Math.floor((space * NAME.room) / NAME.glyph / size + 0.01);
  const number = name.match(/ \d+$/)?.[0] ?? ""; // it tells those of one name apart
  return name.length > most ? `${name.slice(0, Math.max(1, most - 2 - number.length))}…${number}` : name;
};

/** The signs of terrain and water on a cell, so that no colour says it alone. */
/** @type {Record<string, string>} */
const SIGNS = { difficult: "∴", shallow_water: "~", deep_water: "≈", climb: "^", obstacle: "o" };
/** @type {Ground} */
const NO_GROUND = { cells: [], edges: [], light: "bright" };

/** Return each cell of the rows of a map. @param {Drawable} map @returns {Cell[]} */
const cellsOf = ({ rows }) => rows.flatMap(({ row: [y, first, last], ...ground }) =>
  Array.from({ length: last - first + 1 }, (_, at) => ({ cell: [first + at, y], ...ground })));

/** Draw one cell of the ground. @param {Cell} each */
const cellOf = ({ cell: [x, y], terrain, light, water, height_ft: height, zones }) => {
  const said = [terrain, light === "bright" ? "" : light, water, height ? `${height} ft high` : "", ...zones];
  const signs = [SIGNS[terrain] ?? (water && SIGNS.deep_water), ...zones.map(() => "*"), height && `${height > 0 ? "▲" : "▼"}${Math.abs(height)}`];
  const square = { width: 1, height: 1 };
  return svg("g", { transform: `translate(${x} ${y})`, class: "ground" }, svg("title", {}, `${x}, ${y}: ${said.filter((each) => each !== null && each !== "").map((each) => words(String(each))).join(", ")}`),
    svg("rect", { class: "floor", ...square }), svg("rect", { class: `terrain t-${terrain}`, ...square }),
    terrain === "wall" && svg("rect", { fill: "url(#rock)", ...square }),
    zones.map((zone) => svg("rect", { class: `terrain z-${zone}`, ...square })), svg("rect", { class: `shade l-${light}`, ...square }),
    svg("text", { x: 0.06, y: 0.24, class: "sign" }, signs.filter(Boolean).join(" ")));
};

/** Draw a wall, a door or a ledge, with its teeth on the lower side. @param {Edge} each @param {Map<string, number>} heights of cells */
const edgeOf = ({ between: [a, b], kind }, heights) => {
  const isUpright = a[1] === b[1];
  const turned = isUpright ? `translate(${b[0]} ${b[1]}) rotate(90)` : `translate(${b[0]} ${b[1]})`;
  const falls = (heights.get(String(a)) ?? 0) > (heights.get(String(b)) ?? 0);
  const tooth = falls === isUpright ? "v-.14" : "v.14"; // turned, down is left
  /** @type {Record<string, string>} */
  const outlines = { wall: "M0 0H1", ledge: `M0 0H1${[0.1, 0.3, 0.5, 0.7, 0.9].map((x) => `M${x} 0${tooth}`).join("")}` };
  return svg("g", { class: `edge e-${kind}`, transform: turned }, svg("title", {}, `${words(kind)} between ${a.join(", ")} and ${b.join(", ")}`),
    svg("path", { class: "post", d: outlines[kind] ?? "M0 0H.2M.8 0H1" }),
    kind === "closed_door" && svg("rect", { class: "leaf", x: 0.2, y: -0.07, width: 0.6, height: 0.14 }),
    kind === "open_door" && svg("path", { class: "leaf", d: "M.2 0L.45 .5" }));
};

/** The map of a fight, in an element of the page. */
export class BattleMap {
  /**
   * @param {HTMLElement} place
   * @param {{picked: (id: string) => void, chosen: (cell: number[]) => void, mayDrag?: (id: string) => boolean, dragged?: (id: string, cell: number[]) => void,
   *  foreseen?: (id: string, cell: number[]) => Promise<Foreseen | null>}} on
   */
  constructor(place, on) {
    this.on = on;
    /** @type {Map<string, number>} the number of each side */
    this.sides = new Map();
    /** @type {Map<string, Drawn>} the tokens, by id */
    this.drawn = new Map();
    this.seen = NO_GROUND;
    this.ambient = svg("rect", { class: "shade" });
    this.ground = svg("g", { class: "cells" });
    this.edges = svg("g", { class: "edges" });
    this.offered = svg("g", { class: "offered" });
    this.tokens = svg("g", { class: "tokens" });
    this.ghosts = svg("g", { class: "ghosts", "aria-hidden": "true" });
    this.names = svg("g", { class: "names", "aria-hidden": "true" });
    this.measured = svg("g", { class: "measured", "aria-hidden": "true" });
    this.grid = svg("rect", { class: "grid", fill: "url(#grid)" });
    this.picture = svg("g", { class: "picture" });
    const pattern = svg("pattern", { id: "grid", width: 1, height: 1, patternUnits: "userSpaceOnUse" },
      svg("path", { d: "M1 0H0V1", class: "gridline" }));
    const rock = svg("pattern", { id: "rock", width: 0.25, height: 0.25, patternUnits: "userSpaceOnUse" }, svg("path", { d: "M0 .25 .25 0", class: "rock" }));
    this.node = svg("svg", { class: "map", role: "group", tabindex: 0, preserveAspectRatio: "xMidYMid meet",
      "aria-label": "Map of the fight. Arrows move it, plus and minus zoom, zero shows all." },
      svg("defs", {}, pattern, rock), this.picture, this.ambient, this.ground, this.grid, this.edges, this.offered, this.tokens, this.names, this.ghosts, this.measured);
    this.camera = new Camera(this.node, () => this.#name());
    /** @type {Map<string, string>} the letters on each token, by id */
    this.letters = new Map();
    new ResizeObserver(() => { this.camera.resized(); this.#name(); }).observe(this.node);
    this.hint = html("p", { class: "empty soft", hidden: true }, "This ruleset shows no creatures on a map.");
    this.asking = html("p", { class: "asking chip", role: "status", hidden: true });
    this.ruler = button("⇹", () => this.#measure(!this.isMeasuring), { "aria-label": "Measure a distance", "aria-pressed": "false", title: "Measure: press on a cell and draw to another" });
    this.node.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.#ruled(event), { capture: true });
    this.node.addEventListener("click", (/** @type {MouseEvent} */ event) => this.#clicked(event));
    const zoom = html("div", { class: "zoom" }, this.ruler,
      button("+", () => this.camera.zoom(1.25), { "aria-label": "Zoom in" }),
      button("−", () => this.camera.zoom(0.8), { "aria-label": "Zoom out" }),
      button("All", () => this.camera.fit(), { "aria-label": "Show the whole map" }));
    show(place, this.node, this.hint, this.asking, zoom);
    this.camera.below = () => Math.max(0, this.node.getBoundingClientRect().bottom - zoom.getBoundingClientRect().top);
  }

  /** Ask for a cell of the map: any cell that is clicked is chosen, until the text is empty. @param {string} text */
  hintAt(text) {
    this.isAsking = text !== "";
    this.asking.hidden = !text;
    say(this.asking, text);
  }

  /** Show a picture behind the grid: its cells begin at 0, 0. @param {string} address @param {number} width in cells @param {number} height */
  drawPicture(address, width, height) {
    show(this.picture, svg("image", { href: address, width, height, preserveAspectRatio: "none" }));
    this.node.classList.add("has-picture");
    this.pictured = { x: 0, y: 0, width, height };
    this.frame([...this.drawn.values()].map(({ token }) => token).filter((each) => each !== null));
  }

  /** Return the cell under a pointer. @param {MouseEvent} event */
  #cell(event) {
    const { x, y } = this.camera.at(event);
    return [Math.floor(x), Math.floor(y)];
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    if (this.isAsking && !this.camera.isDragging) this.on.chosen(this.#cell(event));
  }

  /** @param {boolean} isOn */
  #measure(isOn) {
    this.isMeasuring = isOn;
    put(this.ruler, { "aria-pressed": String(isOn) });
    if (!isOn) show(this.measured);
  }

  /** Draw the way from one cell to another, with its length. @param {number[]} from @param {number[]} to */
  #line(from, to) {
    const [dx, dy] = [Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])];
    const steps = Math.max(dx, dy);
    show(this.measured, svg("path", { class: "ruler", d: `M${from[0] + 0.5} ${from[1] + 0.5}L${to[0] + 0.5} ${to[1] + 0.5}` }),
      svg("text", { class: "ruler-text", x: to[0] + 0.5, y: to[1] + 0.1 }, `${steps} cell${steps === 1 ? "" : "s"} · ${steps * CELL_FT} ft`));
  }

  /** Draw the way that a creature would take, its cost and whom it provokes. @param {string} id @param {number[]} from @param {Foreseen} way */
  #way(id, from, { path, feet, provokes }) {
    const to = path.at(-1) ?? from;
    const middles = [from, ...path].map(([x, y]) => `${x + 0.5} ${y + 0.5}`);
    const said = provokes.map((each) => `${this.drawn.get(each)?.token?.name ?? each} (${this.letters.get(each) ?? each})`);
    show(this.measured, svg("path", { class: "ruler", d: `M${middles.join("L")}`, "data-way": id }),
      svg("text", { class: "ruler-text", x: to[0] + 0.5, y: to[1] + 0.1 }, `${feet} ft`),
      said.length > 0 && svg("text", { class: "ruler-text provokes", x: to[0] + 0.5, y: to[1] + 0.45 }, `provokes ${said.join(", ")}`));
    for (const [each, { node }] of this.drawn) node.classList.toggle("is-provoked", provokes.includes(each));
  }

  /** Show no way any more. */
  #noWay() {
    show(this.measured);
    for (const { node } of this.drawn.values()) node.classList.remove("is-provoked");
  }

  /** Follow a pointer until it is let go. @param {PointerEvent} event @param {SVGElement} node @param {(event: PointerEvent) => void} move @param {(event: PointerEvent, isDone: boolean) => void} end */
  #follow(event, node, move, end) {
    node.setPointerCapture(event.pointerId);
    const stop = (/** @type {PointerEvent} */ last) => {
      node.removeEventListener("pointermove", move);
      node.removeEventListener("pointerup", stop);
      node.removeEventListener("pointercancel", stop);
      end(last, last.type === "pointerup");
    };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", stop);
    node.addEventListener("pointercancel", stop);
  }

  /** Measure from a cell on, if a person asked for it. @param {PointerEvent} event */
  #ruled(event) {
    if (!this.isMeasuring) return;
    event.stopPropagation();
    const from = this.#cell(event);
    this.camera.isDragging = true;
    this.#follow(event, this.node, (moved) => this.#line(from, this.#cell(moved)), () => {});
  }

  /** Drag a token to a cell, if something brings it there. @param {PointerEvent} event @param {string} id */
  #grabbed(event, id) {
    if (this.isMeasuring || event.button !== 0 || !this.on.mayDrag?.(id)) return;
    const { node, token } = this.drawn.get(id) ?? {};
    if (!node || !token) return;
    event.stopPropagation();
    let isMoved = false;
    let over = "";
    this.camera.isDragging = false;
    this.#follow(event, node, (moved) => {
      if (!isMoved && Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) < DRAG) return;
      isMoved = true;
      this.camera.isDragging = true; // the click that follows selects nothing
      const cell = this.#cell(moved);
      if (String(cell) === over) return;
      over = String(cell);
      this.#noWay();
      this.#line(token.position, cell);
      this.on.foreseen?.(id, cell).then((way) => { if (way && over === String(cell)) this.#way(id, token.position, way); });
    }, (last, isDone) => {
      over = "";
      this.#noWay();
      const cell = this.#cell(last);
      if (isMoved && isDone && String(cell) !== String(token.position)) this.on.dragged?.(id, cell);
    });
  }

  /** Say whether the creatures of another moment are shown, until those of this one are there. @param {boolean} isWaiting */
  wait(isWaiting) {
    this.node.classList.toggle("is-waiting", isWaiting);
  }

  /** Draw the creatures as they are. @param {Tokens} tokens @param {string | null} selected @param {Set<string>} targets
   *  @param {boolean} isStep whether they were shown as they were one commit before or after: their way is shown */
  draw(tokens, selected, targets, isStep) {
    this.node.classList.toggle("is-step", isStep);
    for (const { side } of tokens.values()) if (!this.sides.has(side)) this.sides.set(side, this.sides.size);
    for (const [id, drawn] of this.drawn) {
      if (!tokens.has(id)) {
        drawn.node.remove();
        drawn.parts.name.remove();
        this.drawn.delete(id);
      }
    }
    let isRenamed = tokens.size !== this.drawn.size;
    for (const [id, token] of tokens) {
      const known = this.drawn.get(id)?.token;
      if (known !== token && known?.name !== token.name) isRenamed = true;
    }
    if (isRenamed) {
      this.letters = lettersOf(tokens.values());
      for (const drawn of this.drawn.values()) drawn.token = null; // their letters may differ
    }
    const all = [...tokens.values()];
    const taken = all.some(({ status }) => PLACES[status]) ? new Set(all.filter(({ status }) => !PLACES[status]).map(({ position }) => String(position))) : new Set();
    for (const [id, token] of tokens) {
      const drawn = this.#place(id, token, selected === id, targets.has(id));
      const isUnder = taken.size > 0 && Boolean(PLACES[token.status]) && taken.has(String(token.position));
      if (drawn.isUnder === isUnder) continue;
      drawn.isUnder = isUnder;
      drawn.parts.name.classList.toggle("is-under", isUnder);
      if (isUnder) this.tokens.prepend(drawn.node);
    }
    const isHinted = !tokens.size && !this.ground.childElementCount && !this.edges.childElementCount;
    if (this.hint.hidden === isHinted) this.hint.hidden = !isHinted;
  }

  /** Draw the ground, and frame what there is. @param {Drawable | null} seen the answer of `map`; null is plain ground @param {Iterable<Token>} tokens */
  drawGround(seen, tokens) {
    this.seen = seen ? { ...seen, cells: cellsOf(seen) } : NO_GROUND;
    show(this.ground, this.seen.cells.map(cellOf));
    const heights = new Map(this.seen.cells.map(({ cell, height_ft: height }) => [String(cell), height]));
    show(this.edges, this.seen.edges.map((each) => edgeOf(each, heights)));
    this.ambient.setAttribute("class", `shade l-${this.seen.light}`);
    this.frame(tokens);
  }

  /** Show all creatures and cells, unless a person has looked elsewhere. @param {Iterable<Token>} tokens */
  frame(tokens) {
    const found = boxOf(tokens, this.seen), { pictured } = this;
    const box = pictured ? { x: Math.min(found.x, 0), y: Math.min(found.y, 0), width: Math.max(found.x + found.width, pictured.width) - Math.min(found.x, 0), height: Math.max(found.y + found.height, pictured.height) - Math.min(found.y, 0) } : found;
    this.camera.frame(box);
    for (const [name, value] of Object.entries({ x: Math.floor(box.x) - 100, y: Math.floor(box.y) - 100, width: Math.ceil(box.width) + 200, height: Math.ceil(box.height) + 200 })) {
      for (const node of [this.grid, this.ambient]) node.setAttribute(name, String(value));
    }
  }

  /** Offer cells to click, and show the path to the one that is chosen. @param {number[][]} cells @param {number[][]} path */
  offer(cells, path) {
    const name = (/** @type {number[]} */ cell) => `${cell[0]},${cell[1]}`;
    const last = path.at(-1);
    show(this.offered,
      cells.map((cell) => svg("rect", {
        x: cell[0] + 0.06, y: cell[1] + 0.06, width: 0.88, height: 0.88, rx: 0.08, "data-cell": name(cell), class: `offer${last && name(last) === name(cell) ? " is-chosen" : ""}`,
        onclick: () => this.camera.isDragging || this.on.chosen(cell),
      }, svg("title", {}, `cell ${name(cell)}`))),
      path.length > 1 && svg("polyline", { class: "path", points: path.map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(" ") }));
  }

  /** Show where creatures would be instead, and with how many hit points. @param {[Token, Token][]} pairs each as it is and as it would be */
  compare(pairs) {
    const middle = (/** @type {Token} */ { position: [x, y], space }) => [x + space / 2, y + space / 2];
    show(this.ghosts, pairs.map(([now, then]) => svg("g", { "data-ghost": then.id },
      String(now.position) !== String(then.position) && svg("path", { class: "ghost-way", d: `M${middle(now)}L${middle(then)}` }),
      now.hp !== then.hp && svg("text", { class: "ghost-hp", x: middle(then)[0], y: then.position[1] + 0.1 }, `${now.hp ?? "?"} → ${then.hp ?? "?"}`),
      svg("path", { class: "ghost", d: FORMS[(this.sides.get(then.side) ?? 0) % FORMS.length], transform: `translate(${middle(then)}) scale(${then.space})` }))));
  }

  /** @param {string} id @param {Token} token @param {boolean} isSelected @param {boolean} isTarget */
  #place(id, token, isSelected, isTarget) {
    const drawn = this.drawn.get(id) ?? this.#add(id);
    const isDressed = drawn.token !== token; // most tokens are the same from one commit to the next: nothing is written again
    if (isDressed) {
      this.#dress(drawn, token);
      drawn.token = token;
    }
    if (!isDressed && drawn.isSelected === isSelected && drawn.isTarget === isTarget) return drawn;
    Object.assign(drawn, { isSelected, isTarget });
    drawn.node.classList.toggle("is-selected", isSelected);
    drawn.node.classList.toggle("is-target", isTarget);
    put(drawn.node, { "aria-pressed": String(isSelected) });
    return drawn;
  }

  /** @param {string} id @returns {Drawn} */
  #add(id) {
    const parts = {
      form: svg("path", { class: "form", transform: "translate(0 -.13) scale(.8)" }), letters: svg("text", { class: "letters" }),
      name: svg("text", { class: "name" }), bar: svg("rect", { class: "bar-left", x: -0.34, y: 0.19, height: 0.07 }),
      mark: svg("text", { class: "status", x: 0.32, y: -0.24 }), title: svg("title"),
    };
    const body = svg("g", { class: "body" }, parts.form, parts.letters, svg("rect", { class: "bar-all", x: -0.34, y: 0.19, width: 0.68, height: 0.07 }),
      parts.bar, parts.mark, svg("circle", { class: "turn", cx: -0.34, cy: -0.36, r: 0.1 }));
    const pick = () => this.camera.isDragging || this.on.picked(id);
    const node = svg("g", { role: "button", tabindex: 0, "data-creature": id, onclick: pick, onpointerdown: (event) => this.#grabbed(event, id) }, parts.title, body);
    node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.on.picked(id);
    });
    this.tokens.append(node);
    this.names.append(parts.name);
    /** @type {Drawn} */
    const drawn = { node, body, parts, token: null, isSelected: false, isTarget: false, isUnder: false };
    this.drawn.set(id, drawn);
    return drawn;
  }

  /** Write the names so that they can be read, and no name where cells are too small. */
  #name() {
    const cell = this.node.getScreenCTM()?.a || 1;
    this.size = Math.min(NAME.most, NAME.px / cell);
    this.node.classList.toggle("is-small", cell < SMALL_PX);
    this.node.style.setProperty("--name", `${this.size}px`);
    for (const { parts, token } of this.drawn.values()) if (token) this.#fit(parts, token);
  }

  /** @param {Parts} parts @param {Token} token */
  #fit(parts, token) {
    say(parts.name, fitted(bare(token.name), token.space, this.size ?? NAME.most));
  }

  /** @param {Drawn} drawn @param {Token} token */
  #dress({ node, body, parts }, token) {
    const side = (this.sides.get(token.side) ?? 0) % FORMS.length;
    const [x, y] = token.position;
    const middle = [x + token.space / 2, y + token.space / 2];
    put(node, {
      class: `token side-${side} is-${PLACES[token.status] ?? "active"}${token.acts ? " acts" : ""}${token.hidden ? " is-hidden" : ""}`,
      transform: `translate(${middle.join(" ")})`, "aria-label": described(token, this.letters.get(token.id)),
    });
    put(parts.name, { transform: `translate(${middle[0]} ${middle[1] + token.space / 2 - 0.02})` });
    this.#fit(parts, token);
    put(body, { transform: `scale(${token.space})` });
    put(parts.form, { d: FORMS[side] });
    say(parts.letters, this.letters.get(token.id) ?? "");
    put(parts.letters, { class: `letters${parts.letters.textContent.length > 2 ? " are-many" : ""}` });
    say(parts.title, described(token, this.letters.get(token.id)));
    say(parts.mark, MARKS[token.status] ?? (token.conditions.length ? "•" : ""));
    const share = token.hp === null || !token.hp_max ? 0 : Math.max(0, Math.min(1, token.hp / token.hp_max));
    put(parts.bar, { width: String(0.68 * share), class: `bar-left${share <= 0.34 ? " low" : ""}` });
  }
}

// Draw the map of a new fight: place creatures, walls, doors, terrain and light on cells, over a picture that stays here.

import { button, capital, html, words } from "../shared/dom.mjs";
import { keepPicture } from "../shared/pictures.mjs";
import { BattleMap } from "../fight/map.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("../client/contract.mjs").CreatureToken} Token */
/** @typedef {{tokens: Map<string, Token>, terrain: Record<string, string>, walls: Record<string, string>, scenery: Json}} Seen what is drawn: cells are named `x,y`, edges `x,y|x,y` */

const NEAR = 0.5; // how far from an edge a click may be, in cells
/** @type {Record<string, number[]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STROKE = 0.5; // how far a pointer goes, in cells, before its direction says which edges it draws

/** Return the edge of the cells that is nearest to a point, as openings name it. @param {{x: number, y: number}} point */
const edgeAt = ({ x, y }) => {
  const [cx, cy] = [Math.floor(x), Math.floor(y)];
  const [dx, dy] = [x - cx, y - cy];
  /** @type {[number, number[], number[]][]} how far each edge is, and its cells */
  const sides = [[dx, [cx - 1, cy], [cx, cy]], [1 - dx, [cx, cy], [cx + 1, cy]], [dy, [cx, cy - 1], [cx, cy]], [1 - dy, [cx, cy], [cx, cy + 1]]];
  const [far, a, b] = sides.sort((one, other) => one[0] - other[0])[0];
  return far <= NEAR ? `${a.join()}|${b.join()}` : null;
};

/** Return the edges along a stroke of a pointer, as openings name them: those of its direction. @param {{x: number, y: number}} from @param {{x: number, y: number}} to @returns {string[]} */
const edgesAlong = (from, to) => {
  const parts = Math.ceil(Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y)) / STROKE);
  const isUpright = Math.abs(to.y - from.y) > Math.abs(to.x - from.x);
  return Array.from({ length: parts }, (_, index) => {
    const share = (index + 0.5) / parts;
    const [x, y] = [from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share];
    const [cx, cy] = isUpright ? [Math.round(x), Math.floor(y)] : [Math.floor(x), Math.round(y)];
    return isUpright ? `${cx - 1},${cy}|${cx},${cy}` : `${cx},${cy - 1}|${cx},${cy}`;
  });
};

/** The canvas of a map that is drawn. */
export class Ground {
  /** @param {{change: (part: Json) => void, place: (id: string, cell: number[]) => void}} on */
  constructor(on) {
    this.on = on;
    this.tool = "move";
    this.cursor = [0, 0]; // the cell that keys draw on
    /** @type {string | null} the creature that the next click places */
    this.selected = null;
    /** @type {Seen} */
    this.seen = { tokens: new Map(), terrain: {}, walls: {}, scenery: {} };
    this.place = html("div", { class: "ground" });
    this.map = new BattleMap(this.place, {
      picked: (id) => { this.selected = this.selected === id ? null : id; this.#draw(); }, chosen: () => {},
      mayDrag: () => this.tool === "move", dragged: (id, cell) => on.place(id, cell),
    });
    this.map.node.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.#pressed(event), { capture: true });
    this.map.node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#typed(event), { capture: true });
    /** @type {Blob | null} */
    this.blob = null;
  }

  /** Draw the tools. @param {{terrain: string[], light: string[]}} takes what an opening takes @param {Json} draft @param {() => void} redraw */
  tools(takes, draft, redraw) {
    const tools = [["move", "Place creatures"], ["wall", "Wall"], ["closed_door", "Door"], ["open_door", "Open door"], ...takes.terrain.filter((each) => each !== "normal").map((each) => [`terrain ${each}`, each === "wall" ? "Rock" : capital(words(each))]),
      ...takes.light.map((each) => [`light ${each}`, capital(`${each} light`)]), ["erase", "Erase"]];
    const { ambient } = draft.scenery;
    return html("div", { class: "tools", key: "tools", role: "group", "aria-label": "What a click draws" },
      tools.map(([name, text]) => button(text, () => { this.tool = name; this.map.offer([], []); redraw(); }, { key: name, "aria-pressed": String(this.tool === name) })),
      takes.light.length ? html("label", { class: "row small" }, "Light all around", html("select", { id: "ambient", onchange: (event) => this.on.change({ scenery: { ...draft.scenery, ambient: event.target.value } }) }, takes.light.map((each) => html("option", { key: each, value: each, selected: each === (ambient ?? "bright") }, each)))) : null,
      button("Clear the map", () => this.on.change({ terrain: {}, walls: {}, scenery: {} }), { class: "quiet" }),
      this.tool === "move" ? null : html("p", { class: "soft small keys", key: "keys" }, "By keys, on the map: arrows choose a cell, Enter draws on it, Shift with an arrow draws on that edge of it."));
  }

  /** Show it in *canvas*. @param {HTMLElement} canvas @param {Seen} seen */
  show(canvas, seen) {
    this.seen = seen;
    if (this.place.parentNode !== canvas) canvas.append(this.place);
    this.#draw();
  }

  /** Return a cell as a row of one. @param {string} name */
  #row(name) {
    const [x, y] = name.split(",").map(Number);
    return [y, x, x];
  }

  #draw() {
    const { tokens, terrain, walls, scenery } = this.seen;
    const light = scenery.light ?? {};
    const rows = [...new Set([...Object.keys(terrain), ...Object.keys(light)])].map((name) => ({ row: this.#row(name), terrain: terrain[name] ?? "normal", light: light[name] ?? scenery.ambient ?? "bright", water: null, height_ft: scenery.heights?.[name] ?? 0, zones: [] }));
    const edges = Object.entries(walls).map(([name, kind]) => ({ between: name.split("|").map((cell) => cell.split(",").map(Number)), kind: /** @type {import("../fight/map.mjs").Edge["kind"]} */ (kind) }));
    this.map.drawGround({ rows, edges, light: scenery.ambient ?? "bright" }, tokens.values());
    this.map.draw(tokens, this.selected, new Set(), false);
  }

  /** Draw by keys: arrows go from cell to cell, Enter draws on a cell, Shift with an arrow on its edge. @param {KeyboardEvent} event */
  #drawn(event) {
    const way = ARROWS[event.key], [kind, value] = this.tool.split(" ");
    const isOnCell = Boolean(value) || kind === "erase", isDrawing = event.key === "Enter" || event.key === " ";
    if (event.target !== this.map.node || !(way || isDrawing)) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = this.cursor;
    const [tx, ty] = way ? [x + way[0], y + way[1]] : [x, y];
    const edge = tx < x || ty < y ? `${tx},${ty}|${x},${y}` : `${x},${y}|${tx},${ty}`;
    if (event.shiftKey && way && (!isOnCell || kind === "erase")) this.#paint(kind, value, "", edge);
    else if (isDrawing && isOnCell) this.#paint(kind, value, `${x},${y}`, null);
    else this.cursor = [tx, ty];
    this.map.offer([this.cursor], []);
  }

  /** Move the selected creature by an arrow key. @param {KeyboardEvent} event */
  #typed(event) {
    if (this.tool !== "move") this.#drawn(event);
    const way = ARROWS[event.key], token = this.tool === "move" && this.selected ? this.seen.tokens.get(this.selected) : null;
    if (!way || !token) return;
    event.preventDefault();
    event.stopPropagation();
    this.on.place(token.id, token.position.map((each, axis) => each + way[axis]));
  }

  /** Draw with the tool, from the press of a pointer until it is let go. @param {PointerEvent} event */
  #pressed(event) {
    if (event.button !== 0) return;
    if (this.tool === "move") {
      if (this.selected && !(/** @type {Element} */ (event.target)).closest("[data-creature]")) {
        const { x, y } = this.map.camera.at(event);
        const id = this.selected;
        this.selected = null;
        this.on.place(id, [Math.floor(x), Math.floor(y)]);
        event.stopPropagation();
      }
      return;
    }
    event.stopPropagation();
    const { node, camera } = this.map;
    camera.isMoved = true; // what is drawn on stays where it is
    const seen = new Set();
    const [kind, value] = this.tool.split(" ");
    const isOfEdges = !value && kind !== "erase";
    let from = camera.at(event);
    const once = (/** @type {string | null} */ name, /** @type {() => void} */ draw) => {
      if (!name || seen.has(name)) return;
      seen.add(name);
      draw();
    };
    const paint = (/** @type {PointerEvent} */ each) => {
      const point = camera.at(each);
      const cell = `${Math.floor(point.x)},${Math.floor(point.y)}`;
      if (!isOfEdges) {
        const edge = edgeAt(point);
        once(value ? cell : `${cell} ${edge}`, () => this.#paint(kind, value, cell, edge));
      } else if (Math.hypot(point.x - from.x, point.y - from.y) >= STROKE) {
        for (const edge of edgesAlong(from, point)) once(edge, () => this.#paint(kind, value, cell, edge));
        from = point;
      }
    };
    const stop = () => {
      const edge = edgeAt(from);
      if (isOfEdges && !seen.size) once(edge, () => this.#paint(kind, value, "", edge)); // a click
      node.removeEventListener("pointermove", paint);
      node.removeEventListener("pointerup", stop);
      node.removeEventListener("pointercancel", stop);
    };
    node.setPointerCapture(event.pointerId);
    node.addEventListener("pointermove", paint);
    node.addEventListener("pointerup", stop);
    node.addEventListener("pointercancel", stop);
    paint(event);
  }

  /** @param {string} kind @param {string} value @param {string} cell @param {string | null} edge */
  #paint(kind, value, cell, edge) {
    const { terrain, walls, scenery } = this.seen;
    const without = (/** @type {Json | undefined} */ object, /** @type {string | null} */ name) => Object.fromEntries(Object.entries(object ?? {}).filter(([each]) => each !== name));
    if (kind === "terrain") this.on.change({ terrain: { ...terrain, [cell]: value } });
    else if (kind === "light") this.on.change({ scenery: { ...scenery, light: { ...scenery.light, [cell]: value } } });
    else if (kind === "erase") this.on.change({ terrain: without(terrain, cell), walls: without(walls, edge), scenery: { ...scenery, light: without(scenery.light, cell) } });
    else if (edge) this.on.change({ walls: { ...walls, [edge]: kind } });
  }

  /** Show the picture of a map behind the grid. @param {string} image as Base64 @param {number} width in cells @param {number} height */
  picture(image, width, height) {
    const bytes = Uint8Array.from(atob(image), (each) => each.charCodeAt(0));
    this.blob = new Blob([bytes]);
    this.map.drawPicture(URL.createObjectURL(this.blob), width, height);
  }

  /** Keep the picture in this browser, for the fight that was opened. @param {string} encounter @param {{width: number, height: number} | null} size */
  async keep(encounter, size) {
    if (this.blob && size) await keepPicture(encounter, { blob: this.blob, ...size });
  }
}

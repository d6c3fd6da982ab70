// Zoom and pan the map: wheel and pinch, drag, buttons and keys. It changes the `viewBox` and nothing else.

export const MARGIN = 1; // cells around what is framed
const LEAST = 3; // cells across
const MOST = 200;
const STEP = 1.25;
const DRAG = 4; // pixels before a press is a drag

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{clientX: number, clientY: number}} Point */

/** What part of the map is on the screen. */
export class Camera {
  /** @param {SVGSVGElement} node @param {() => void} changed is called when a cell may have another size */
  constructor(node, changed) {
    this.node = node;
    this.changed = changed;
    /** @type {Box} */
    this.whole = { x: 0, y: 0, width: 10, height: 8 };
    this.box = this.whole;
    this.isMoved = false;
    this.isDragging = false;
    /** @type {() => number} how many pixels of the map something covers from below */
    this.below = () => 0;
    /** @type {Map<number, Point>} */
    this.fingers = new Map();
    node.addEventListener("wheel", (event) => this.#turned(event), { passive: false });
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
      node.addEventListener(name, (event) => this.#touched(/** @type {PointerEvent} */ (event)));
    }
    node.addEventListener("keydown", (event) => this.#typed(event));
  }

  /** Show *box* whole, unless a person has looked elsewhere. @param {Box} box */
  frame(box) {
    this.whole = box;
    this.resized();
  }

  /** Show all of the map, after its element has got another size, unless a person has looked elsewhere. */
  resized() {
    if (!this.isMoved) this.#set(this.#clear(this.whole));
  }

  /** Return *box* with so much room below it that nothing in it is covered. @param {Box} box @returns {Box} */
  #clear(box) {
    const { width, height } = this.node.getBoundingClientRect();
    const covered = this.below();
    if (!width || height <= covered) return box;
    const cell = Math.min(width / box.width, height / box.height);
    const free = (height - box.height * cell) / 2 + MARGIN * cell;
    if (free >= covered) return box;
    const room = (2 * (covered - free)) / cell; // half of it is above, while the width limits the cells
    const less = (covered * box.height - MARGIN * height) / (height - covered);
    return { ...box, height: box.height + ((box.height + room) * cell <= height ? room : less) };
  }

  /** Show all of the map. */
  fit() {
    this.isMoved = false;
    this.resized();
  }

  /** Zoom by a factor, around a point of the screen or the middle. @param {number} factor @param {{clientX: number, clientY: number}} [point] */
  zoom(factor, point) {
    const { box } = this;
    const width = Math.min(MOST, Math.max(LEAST, box.width / factor));
    const scale = width / box.width;
    const { x, y } = point ? this.at(point) : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    this.#move({ x: x - (x - box.x) * scale, y: y - (y - box.y) * scale, width, height: box.height * scale });
  }

  /** Move by cells. @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.#move({ ...this.box, x: this.box.x + dx, y: this.box.y + dy });
  }

  /** Return the place on the map under a point of the screen. @param {{clientX: number, clientY: number}} point */
  at({ clientX, clientY }) {
    const matrix = this.node.getScreenCTM();
    return matrix ? new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse()) : { x: 0, y: 0 };
  }

  /** @param {Box} box */
  #move(box) {
    this.isMoved = true;
    this.#set(box);
  }

  /** @param {Box} box */
  #set(box) {
    const isOfOneSize = this.box.width === box.width && this.box.height === box.height;
    this.box = box;
    this.node.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
    if (!isOfOneSize) this.changed();
  }

  /** @param {WheelEvent} event */
  #turned(event) {
    event.preventDefault();
    this.zoom(STEP ** (-event.deltaY / 100), event);
  }

  /** @param {PointerEvent} event */
  #touched(event) {
    const before = this.fingers.get(event.pointerId);
    if (event.type === "pointerdown") {
      this.fingers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
      this.isDragging = this.fingers.size > 1;
    } else if (event.type !== "pointermove") {
      this.fingers.delete(event.pointerId);
    } else if (before) {
      this.#dragged(event, before);
    }
  }

  /** @param {PointerEvent} event @param {Point} before */
  #dragged(event, before) {
    if (!this.isDragging && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < DRAG) return;
    if (!this.isDragging) this.node.setPointerCapture(event.pointerId);
    this.isDragging = true;
    const now = { clientX: event.clientX, clientY: event.clientY };
    const [a, b] = [this.at(before), this.at(now)];
    if (this.fingers.size === 1) this.pan(a.x - b.x, a.y - b.y);
    else {
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1] ?? now;
      const span = (/** @type {Point} */ point) => Math.hypot(point.clientX - other.clientX, point.clientY - other.clientY);
      this.zoom(span(now) / Math.max(1, span(before)), other);
    }
    this.fingers.set(event.pointerId, now);
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    const step = this.box.width / 10;
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (event.target !== this.node) return;
    if (moves[event.key]) this.pan(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(STEP);
    else if (event.key === "-") this.zoom(1 / STEP);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}

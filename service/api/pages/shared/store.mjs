// Hold the state of a page, and draw what depends on a change: once in a frame, however many changes there were.

/** @template {Record<string, any>} S */
export class Store {
  /** @type {{names: string[], draw: (state: S, changed: Set<string>) => void}[]} */
  #draws = [];
  /** @type {Set<string>} */
  #dirty = new Set();
  #asked = 0;

  /** @param {S} state */
  constructor(state) {
    /** @type {S} */
    this.state = state;
  }

  /** Change members of the state. @param {Partial<S>} change */
  set(change) {
    for (const [name, value] of Object.entries(change)) {
      if (Object.is(this.state[name], value)) continue;
      /** @type {any} */ (this.state)[name] = value;
      this.#dirty.add(name);
    }
    if (this.#dirty.size && !this.#asked) this.#asked = requestAnimationFrame(() => this.#draw());
  }

  /** Call *draw* when one of the members in *names* has changed, and once now. @param {string[]} names @param {(state: S, changed: Set<string>) => void} draw */
  on(names, draw) {
    this.#draws.push({ names, draw });
    draw(this.state, new Set(names));
  }

  #draw() {
    const changed = this.#dirty;
    this.#dirty = new Set();
    this.#asked = 0;
    for (const { names, draw } of this.#draws) if (names.some((name) => changed.has(name))) draw(this.state, changed);
  }
}

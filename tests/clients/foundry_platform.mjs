// A small Foundry: documents, scenes, combats, settings, windows and hooks, as its public types describe them.
//
// It refuses what the types do not have: fields without a place, coordinates that are no whole numbers, walls without
// four ends, turns outside the combat. Hits that a test asks for fail (`failing`).

const flags = () => ({});
const isWhole = Number.isInteger;
const isNumber = Number.isFinite;
const isText = (value) => typeof value === "string";
const isTruth = (value) => typeof value === "boolean";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const oneOf = (...values) => (value) => values.includes(value);
const orNull = (test) => (value) => value === null || test(value);
const isRound = (value) => isWhole(value) && value >= 0;
const FIELDS = {
  Token: { name: isText, x: isWhole, y: isWhole, elevation: isNumber, width: isNumber, height: isNumber, hidden: isTruth,
    actorId: orNull(isText), actorLink: isTruth, bar1: isObject, flags: isObject },
  Wall: { c: (value) => Array.isArray(value) && value.length === 4 && value.every(isNumber), door: oneOf(0, 1, 2), ds: oneOf(0, 1, 2),
    move: oneOf(0, 20), sight: oneOf(0, 10, 20, 30, 40), light: oneOf(0, 10, 20, 30, 40), sound: oneOf(0, 10, 20), flags: isObject },
  Scene: { name: isText, width: isWhole, height: isWhole, padding: isNumber, flags: isObject },
  Actor: { name: isText, system: isObject, flags: isObject },
  ActiveEffect: { name: isText, img: isText, statuses: Array.isArray, flags: isObject, showIcon: oneOf(0, 1, 2) },
  Combat: { scene: orNull(isText), active: isTruth, round: isRound, turn: orNull(isRound), flags: isObject },
  Combatant: { tokenId: isText, sceneId: isText, actorId: orNull(isText), hidden: isTruth, defeated: isTruth,
    initiative: orNull(isNumber), name: isText, flags: isObject },
  ChatMessage: { speaker: isObject, content: isText, flags: isObject },
};
const DEFAULTS = {
  Token: { elevation: 0, width: 1, height: 1, hidden: false, actorId: null, actorLink: false, bar1: { attribute: null } },
  Wall: { door: 0, ds: 0, move: 20, sight: 20, light: 20, sound: 20 },
  Scene: { padding: 0.25 },
  Combat: { scene: null, active: false, round: 0, turn: null },
  Combatant: { hidden: false, defeated: false, initiative: null },
};

/** Names of what fails, each with how many more times: `ChatMessage.create`, `Token.update`, ... */
export const failing = new Map();
const mayFail = async (what) => {
  await Promise.resolve();
  const left = failing.get(what) ?? 0;
  if (left > 0) {
    failing.set(what, left - 1);
    throw new Error(`${what} failed`);
  }
};

let count = 0;
const newId = () => `d${String((count += 1)).padStart(15, "0")}`;

class Collection extends Map {
  [Symbol.iterator]() { return this.values(); }
}

/** Merge changes into data: objects by their members, `a.b` as a path, the rest as it is. */
function merge(data, changes) {
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop();
    let at = data;
    for (const name of names) at = at[name] ??= {};
    if (isObject(value)) merge(at[last] ??= {}, value);
    else at[last] = value;
  }
  return data;
}

class Document {
  static embedded = {};

  constructor(data, parent = null) {
    const { _id = newId(), ...given } = structuredClone(data);
    this.id = _id;
    this.parent = parent;
    Object.assign(this, { flags: flags(), ...structuredClone(DEFAULTS[this.constructor.documentName] ?? {}) });
    this.#set(given);
    for (const [name, kind] of Object.entries(this.constructor.embedded)) this[name] = new Collection((data[name] ?? []).map((each) => {
      const made = new kind(each, this);
      return [made.id, made];
    }));
  }

  #set(changes) {
    const { documentName, embedded } = this.constructor;
    const fields = FIELDS[documentName];
    const after = merge({}, structuredClone(Object.fromEntries(Object.keys(fields).filter((name) => name in this).map((name) => [name, this[name]]))));
    merge(after, changes);
    for (const [name, value] of Object.entries(after)) {
      if (name in embedded) continue;
      if (!(name in fields)) throw new Error(`${documentName} has no ${name}`);
      if (value === undefined || !fields[name](value)) throw new Error(`${documentName}.${name} cannot be ${JSON.stringify(value)}`);
    }
    this._check(after);
    for (const name of Object.keys(after)) if (!(name in embedded)) this[name] = after[name];
  }

  _check() {}

  getFlag(scope, name) { return name.split(".").reduce((at, part) => at?.[part], this.flags[scope]); }

  setFlag(scope, name, value) { return this.update({ flags: { [scope]: { [name]: value } } }); }

  async update(changes, options = {}) {
    const { _id, ...given } = changes;
    const { documentName } = this.constructor;
    await mayFail(`${documentName}.update`);
    this.#set(given);
    log.push([`${documentName}.update`, this.id, structuredClone(given), structuredClone(options)]);
    call(`update${documentName}`, this, structuredClone(merge({}, given)), options, game.user.id);
    return this;
  }

  static async create(data) {
    await mayFail(`${this.documentName}.create`);
    const made = new this(data);
    this.collection().set(made.id, made);
    log.push([`${this.documentName}.create`, made.id, structuredClone(data)]);
    call(`create${this.documentName}`, made, {}, game.user.id);
    return made;
  }

  async delete() {
    await mayFail(`${this.constructor.documentName}.delete`);
    this.constructor.collection().delete(this.id);
    log.push([`${this.constructor.documentName}.delete`, this.id]);
  }

  #kind(name) {
    const found = Object.entries(this.constructor.embedded).find(([, kind]) => kind.documentName === name);
    if (!found) throw new Error(`${this.constructor.documentName} has no ${name}`);
    return [this[found[0]], found[1]];
  }

  async createEmbeddedDocuments(name, list) {
    const [collection, kind] = this.#kind(name);
    await mayFail(`${name}.create`);
    const made = list.map((data) => new kind(data, this));
    for (const each of made) collection.set(each.id, each);
    log.push([`${name}.create`, this.id, structuredClone(list)]);
    for (const each of made) call(`create${name}`, each, {}, game.user.id);
    return made;
  }

  async updateEmbeddedDocuments(name, list, options = {}) {
    const [collection] = this.#kind(name);
    for (const changes of list) {
      if (!collection.has(changes._id)) throw new Error(`there is no ${name} ${changes._id}`);
      await collection.get(changes._id).update(changes, options);
    }
  }

  async deleteEmbeddedDocuments(name, ids) {
    const [collection] = this.#kind(name);
    await mayFail(`${name}.delete`);
    for (const id of ids) if (!collection.delete(id)) throw new Error(`there is no ${name} ${id}`);
    log.push([`${name}.delete`, this.id, [...ids]]);
  }
}

class ActiveEffect extends Document {
  static documentName = "ActiveEffect";
}

class Actor extends Document {
  static documentName = "Actor";
  static embedded = { effects: ActiveEffect };
  static collection = () => game.actors;

  get uuid() { return this.parent ? `${this.parent.uuid}.Actor.${this.id}` : `Actor.${this.id}`; }
}

class TokenDocument extends Document {
  static documentName = "Token";
  #own = null;

  get uuid() { return `Scene.${this.parent.id}.Token.${this.id}`; }

  /** The actor: of the world if it is linked, else one of this token alone. */
  get actor() {
    const base = game.actors.get(this.actorId);
    if (!base || this.actorLink) return base ?? null;
    this.#own ??= new Actor({ _id: base.id, name: base.name, system: base.system, flags: base.flags }, this);
    return this.#own;
  }

  getBarAttribute(bar) {
    const { attribute } = this[bar];
    const found = attribute?.split(".").reduce((at, name) => at?.[name], this.actor?.system);
    if (found === undefined || found === null) return null;
    return isObject(found) ? { type: "bar", attribute, value: found.value, max: found.max, editable: true }
      : { type: "value", attribute, value: found, editable: true };
  }
}

class WallDocument extends Document {
  static documentName = "Wall";
}

class Scene extends Document {
  static documentName = "Scene";
  static embedded = { tokens: TokenDocument, walls: WallDocument };
  static collection = () => game.scenes;

  constructor({ grid, ...data }) {
    super(data);
    this.grid = grid;
  }

  /** The padding is a part of width and height, in whole squares, on each side. */
  get dimensions() {
    const { size, distance, units } = this.grid;
    const [sceneX, sceneY] = [this.width, this.height].map((each) => Math.ceil(each * this.padding / size) * size);
    return { sceneX, sceneY, sceneWidth: this.width, sceneHeight: this.height, width: this.width + 2 * sceneX,
      height: this.height + 2 * sceneY, size, distance, units, distancePixels: size / distance };
  }
}

class Combatant extends Document {
  static documentName = "Combatant";

  get token() { return game.scenes.get(this.sceneId)?.tokens.get(this.tokenId) ?? null; }
}

class Combat extends Document {
  static documentName = "Combat";
  static embedded = { combatants: Combatant };
  static collection = () => game.combats;

  /** By initiative, those without one last, then by their ids. */
  get turns() {
    return [...this.combatants].sort((one, other) =>
      (other.initiative ?? -Infinity) - (one.initiative ?? -Infinity) || (one.id > other.id ? 1 : -1));
  }

  get combatant() { return this.turn === null ? null : this.turns[this.turn]; }

  _check({ turn }) {
    if (turn !== null && turn !== undefined && turn >= this.combatants.size) throw new Error(`there is no turn ${turn}`);
  }
}

class ChatMessage extends Document {
  static documentName = "ChatMessage";
  static collection = () => game.messages;
}

class ApplicationV2 {
  rendered = false;
  element = { innerHTML: "" };
  #rendering = Promise.resolve();

  /** One rendering after the other. */
  render(options = {}) {
    this.#rendering = this.#rendering.then(() => this.#render(options));
    return this.#rendering;
  }

  async #render({ force = false }) {
    if (!this.rendered && !force) return this;
    const context = await this._prepareContext({});
    const made = await this._renderHTML(context, {});
    this.rendered = true;
    this._replaceHTML(made, this.element, {});
    return this;
  }

  async close() {
    this.rendered = false;
    return this;
  }
}

/** What was done to documents, in order. */
export const log = [];
/** What was shown to this user: windows, and texts of notifications. */
export const seen = { asked: [], told: [] };
/** How windows are answered: a function of the names of its fields and of its content; null closes it. */
export const person = { answer: () => null };

const hooks = new Map();
export const call = (name, ...words) => { for (const run of hooks.get(name) ?? []) run(...words); };

/** Click a button of an application: the nth with this action and these words. */
export async function click(application, action, words = "") {
  const found = [...application.element.innerHTML.matchAll(/<button ([^>]*)>([^<]*)/gu)]
    .map(([, written, text]) => ({ text, dataset: Object.fromEntries([...written.matchAll(/data-(\w+)="([^"]*)"/gu)].map(([, name, value]) => [name, value])) }))
    .find(({ text, dataset }) => dataset.action === action && text.includes(words));
  if (!found) throw new Error(`no ${action} of ${words} in ${application.element.innerHTML}`);
  await application.constructor.DEFAULT_OPTIONS.actions[action].call(application, {}, found);
}

/** Begin a world: with these documents, settings as they were kept, and texts. */
export function begin({ scenes = [], actors = [], kept = {}, texts, version = 14, folder }) {
  const registered = {};
  const put = (kind, list) => new Collection(list.map((data) => {
    const made = new kind(data);
    return [made.id, made];
  }));
  Object.assign(globalThis, {
    window: { location: { origin: kept.address }, open: (url) => { seen.opened = url; } },
    Hooks: {
      on: (name, run) => hooks.set(name, [...(hooks.get(name) ?? []), run]),
      once: (name, run) => hooks.set(name, [...(hooks.get(name) ?? []), run]),
    },
    ui: { notifications: { warn: (text) => seen.told.push(text), info: (text) => seen.told.push(text) } },
    CONFIG: { ChatMessage: { documentClass: ChatMessage }, Combat: { documentClass: Combat } },
    CONST: {
      WALL_DOOR_TYPES: { NONE: 0, DOOR: 1, SECRET: 2 },
      WALL_DOOR_STATES: { CLOSED: 0, OPEN: 1, LOCKED: 2 },
      ...(version >= 14 && { ACTIVE_EFFECT_SHOW_ICON: { NEVER: 0, CONDITIONAL: 1, ALWAYS: 2 } }),
    },
    foundry: {
      utils: { randomID: (length) => Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join("") },
      applications: { api: { ApplicationV2, DialogV2: { prompt: async ({ window: { title }, content, ok }) => {
        const names = [...content.matchAll(/<(?:select|input) name="([^"]+)"/gu)].map(([, name]) => name);
        seen.asked.push({ title, content });
        const given = person.answer({ title, names, content });
        if (given === null) return null;
        return ok.callback({}, { form: { elements: Object.fromEntries(names.map((name) => [name, { value: String(given[name]) }])) } });
      } } } },
    },
    Roll: class {
      constructor(formula) { this.total = Number(formula.split("d")[1]); }
      async evaluate() { return this; }
      async toMessage() { log.push(["Roll.toMessage", this.total]); }
    },
  });
  globalThis.game = {
    user: { id: "u1", isGM: true },
    users: { activeGM: { isSelf: true } },
    modules: new Map([[folder, {}]]),
    i18n: { format: (key, data) => {
      if (!(key in texts)) throw new Error(`there is no text ${key}`);
      return texts[key].replace(/\{(\w+)\}/gu, (_, name) => data[name]);
    } },
    settings: {
      registered,
      register: (_id, name, how) => { registered[name] = how; kept[name] ??= structuredClone(how.default); },
      get: (_id, name) => structuredClone(kept[name]),
      set: async (_id, name, value) => {
        await mayFail("Setting.update");
        kept[name] = structuredClone(value);
        registered[name].onChange?.(value);
      },
    },
    messages: new Collection(),
    combats: new Collection(),
  };
  game.actors = put(Actor, actors);
  game.scenes = put(Scene, scenes);
  const [scene] = game.scenes;
  globalThis.canvas = { scene, tokens: { controlled: [] } };
}

// The fight on Foundry's scenes: where bound tokens stand, what their bars and icons show, walls and doors.
//
// Everything is made from the fight as it is now, so what failed or was missed is made up by the next time.

import { ask, ID, say, setting, words } from "./service.mjs";
import { picked } from "./dialogs.mjs";

const CELL_FEET = 5;
const FEET = { ft: 1, feet: 1, foot: 1, "'": 1, m: 10 / 3, meter: 10 / 3, meters: 10 / 3, metre: 10 / 3, metres: 10 / 3 };
/** How far, in cells, the middle of a scene's own door may be from that of the fight's. */
const NEAR = 0.3;
const NORMAL = 20;
const DOOR = 1;
const ICONS = { down: "icons/svg/unconscious.svg", dead: "icons/svg/skull.svg", gone: "icons/svg/door-exit.svg" };
const ICON = "icons/svg/aura.svg";

export const creatureOf = (document) =>
  document.getFlag(ID, "encounter") === setting("encounter") ? document.getFlag(ID, "creature") : undefined;
/** Return every token of all scenes that is bound to a creature of the encounter, with its scene. */
export const boundTokens = () => [...game.scenes].flatMap((scene) =>
  [...scene.tokens].filter(creatureOf).map((token) => ({ scene, token, creature: creatureOf(token) })));
const isDrawn = (scene) => scene.getFlag(ID, "drawn") === setting("encounter");

/** Return how cells lie in a scene: its first pixel after the padding, pixels along a cell, units in a foot. */
function gridOf({ dimensions, grid }) {
  const feet = FEET[(grid.units ?? "").trim().replace(/\.$/u, "").toLowerCase()];
  const cell = feet ? grid.size * CELL_FEET / (grid.distance * feet) : grid.size; // else a square is a cell
  const unit = feet ? 1 / feet : grid.distance / CELL_FEET;
  return { cell, unit, x: (column) => dimensions.sceneX + column * cell, y: (row) => dimensions.sceneY + row * cell };
}

/** Return a function that tells how high the ground is below a creature, in feet. */
function groundOf(rows) {
  const raised = rows.filter(({ height_ft: feet }) => feet !== 0);
  return ({ position: [x, y], space }) => {
    const below = raised.filter(({ row: [at, first, last] }) => at >= y && at < y + space && first < x + space && last >= x);
    const isWhole = below.reduce((cells, { row: [, first, last] }) =>
      cells + Math.min(last, x + space - 1) - Math.max(first, x) + 1, 0) === space ** 2;
    return Math.max(...below.map(({ height_ft: feet }) => feet), ...(isWhole ? [] : [0]));
  };
}

export async function moveTokens({ creatures }, { rows }) {
  const ground = groundOf(rows);
  const places = new Map(creatures.filter(({ position }) => position).map((each) => [each.id, each]));
  for (const scene of game.scenes) {
    const grid = gridOf(scene);
    const moves = [...scene.tokens].filter((token) => places.has(creatureOf(token))).map((token) => {
      const creature = places.get(creatureOf(token));
      const to = {
        x: Math.round(grid.x(creature.position[0])),
        y: Math.round(grid.y(creature.position[1])),
        elevation: (ground(creature) + creature.height_ft) * grid.unit,
      };
      return Object.keys(to).every((name) => token[name] === to[name]) ? null : { _id: token.id, ...to };
    }).filter(Boolean);
    if (moves.length) await scene.updateEmbeddedDocuments("Token", moves);
  }
}

/** Return each actor of a bound token once, with one of its tokens and its creature. */
function actorsOf({ creatures }) {
  const found = new Map();
  const known = new Map(creatures.map((each) => [each.id, each]));
  for (const { token, creature } of boundTokens()) {
    if (token.actor && known.has(creature)) found.set(token.actor.uuid, { token, actor: token.actor, creature: known.get(creature) });
  }
  return [...found.values()];
}

/** Write hit points to what the first bar of the token shows; what this seat may not know stays as it is. */
export async function fillBars(shown) {
  for (const { token, actor, creature: { hp, hp_max: most } } of actorsOf(shown)) {
    const bar = token.getBarAttribute("bar1");
    if (bar === null || hp === null) continue;
    const path = `system.${bar.attribute}`;
    const changes = bar.type === "bar" ? { [`${path}.value`]: hp, [`${path}.max`]: most ?? bar.max } : { [path]: hp };
    if (bar.value !== hp || (bar.type === "bar" && most !== null && bar.max !== most)) await actor.update(changes);
  }
}

/** Show conditions, and who is down, dead or gone, as effects with an icon; those of others stay. */
export async function showConditions(shown) {
  for (const { actor, creature: { conditions, status } } of actorsOf(shown)) {
    const wanted = new Map(conditions.map(({ name, level }) => [name, level > 1 ? `${words(name)} ${level}` : words(name)]));
    if (status !== "active") wanted.set(status, words(status));
    const ours = [...actor.effects].filter((effect) => effect.getFlag(ID, "condition"));
    const over = ours.filter((effect) => wanted.get(effect.getFlag(ID, "condition")) !== effect.name);
    const kept = new Set(ours.filter((effect) => !over.includes(effect)).map((effect) => effect.getFlag(ID, "condition")));
    const made = [...wanted].filter(([name]) => !kept.has(name)).map(([name, label]) => ({
      name: label,
      img: ICONS[name] ?? ICON,
      statuses: [name.replaceAll("_", "-")],
      flags: { [ID]: { condition: name } },
      ...(CONST.ACTIVE_EFFECT_SHOW_ICON && { showIcon: CONST.ACTIVE_EFFECT_SHOW_ICON.ALWAYS }), // since version 14
    }));
    if (over.length) await actor.deleteEmbeddedDocuments("ActiveEffect", over.map(({ id }) => id));
    if (made.length) await actor.createEmbeddedDocuments("ActiveEffect", made);
  }
}

/** Return what the map has as segments between corners of cells: `[kind, x0, y0, x1, y1]`. */
function segmentsOf({ rows, edges }) {
  const doors = [];
  const sides = new Set();
  for (const { between: [[x0, y0], [x1, y1]], kind } of edges) {
    const ends = x0 === x1 ? [x1, y1, x1 + 1, y1] : [x1, y1, x1, y1 + 1];
    if (kind === "wall") sides.add(ends.join());
    else if (kind !== "ledge") doors.push([kind, ...ends]);
  }
  const solid = new Set(rows.filter(({ terrain }) => terrain === "wall").flatMap(({ row: [y, first, last] }) =>
    Array.from({ length: last - first + 1 }, (_, at) => `${first + at},${y}`)));
  for (const cell of solid) {
    const [x, y] = cell.split(",").map(Number);
    const around = [[x, y - 1, x, y, x + 1, y], [x, y + 1, x, y + 1, x + 1, y + 1], [x - 1, y, x, y, x, y + 1], [x + 1, y, x + 1, y, x + 1, y + 1]];
    for (const [nextX, nextY, ...ends] of around) if (!solid.has(`${nextX},${nextY}`)) sides.add(ends.join());
  }
  return [...doors, ...joined(sides).map((ends) => ["wall", ...ends])];
}

/** Join sides of cells that continue one another. */
function joined(sides) {
  const found = [];
  for (const side of sides) {
    const [x0, y0, x1, y1] = side.split(",").map(Number);
    const [dx, dy] = [x1 - x0, y1 - y0];
    if (sides.has([x0 - dx, y0 - dy, x0, y0].join())) continue; // not the first of its line
    let length = 1;
    while (sides.has([x0 + length * dx, y0 + length * dy, x1 + length * dx, y1 + length * dy].join())) length += 1;
    found.push([x0, y0, x0 + length * dx, y0 + length * dy]);
  }
  return found;
}

const stateOf = (kind) => (kind === "open_door" ? CONST.WALL_DOOR_STATES.OPEN : CONST.WALL_DOOR_STATES.CLOSED);

/** Keep walls and doors that the module has drawn as the map has them, and open and close the scene's own doors. */
export async function followWalls(map) {
  const segments = segmentsOf(map);
  const scenes = new Set([...boundTokens().map(({ scene }) => scene), ...[...game.scenes].filter(isDrawn)]);
  for (const scene of scenes) {
    const grid = gridOf(scene);
    const ours = [...scene.walls].filter((wall) => wall.getFlag(ID, "segment"));
    if (isDrawn(scene)) await redraw(scene, grid, segments, ours);
    const doors = [...scene.walls].filter((wall) => wall.door !== CONST.WALL_DOOR_TYPES.NONE && !ours.includes(wall));
    const changes = segments.filter(([kind]) => kind !== "wall").flatMap(([kind, x0, y0, x1, y1]) => doors.filter(({ c }) =>
      Math.hypot((c[0] + c[2]) / 2 - grid.x((x0 + x1) / 2), (c[1] + c[3]) / 2 - grid.y((y0 + y1) / 2)) <= NEAR * grid.cell)
      .filter(({ ds }) => (ds === CONST.WALL_DOOR_STATES.OPEN) !== (kind === "open_door"))
      .map(({ id }) => ({ _id: id, ds: stateOf(kind) })));
    if (changes.length) await scene.updateEmbeddedDocuments("Wall", changes);
  }
}

async function redraw(scene, grid, segments, ours) {
  const wanted = new Map(segments.map(([kind, ...ends]) => [`${kind === "wall" ? kind : "door"} ${ends.join()}`, { kind, ends }]));
  const there = new Map(ours.map((wall) => [wall.getFlag(ID, "segment"), wall]));
  const over = ours.filter((wall) => !wanted.has(wall.getFlag(ID, "segment")));
  const changes = [...wanted].filter(([name, { kind }]) => kind !== "wall" && there.has(name) && there.get(name).ds !== stateOf(kind))
    .map(([name, { kind }]) => ({ _id: there.get(name).id, ds: stateOf(kind) }));
  const made = [...wanted].filter(([name]) => !there.has(name)).map(([name, { kind, ends: [x0, y0, x1, y1] }]) => ({
    c: [grid.x(x0), grid.y(y0), grid.x(x1), grid.y(y1)].map(Math.round),
    ...{ move: NORMAL, sight: NORMAL, light: NORMAL, sound: NORMAL },
    ...(kind !== "wall" && { door: DOOR, ds: stateOf(kind) }),
    flags: { [ID]: { segment: name } },
  }));
  if (over.length) await scene.deleteEmbeddedDocuments("Wall", over.map(({ id }) => id));
  if (changes.length) await scene.updateEmbeddedDocuments("Wall", changes);
  if (made.length) await scene.createEmbeddedDocuments("Wall", made);
}

// --- commands of the GM -------------------------------------------------------------------------------------

/** Ask which creature each selected token is, and set that as its flag; a name is only what is proposed. */
export async function bind() {
  const tokens = canvas.tokens.controlled.map(({ document }) => document);
  if (!tokens.length) return ui.notifications.info(say("unselected"));
  const { creatures } = await ask("GET", "/creatures");
  const taken = new Set(boundTokens().map(({ creature }) => creature));
  const fields = tokens.map((token) => {
    const proposed = creatureOf(token) ?? creatures.find(({ id, name }) => name === token.name && !taken.has(id))?.id;
    taken.add(proposed);
    return {
      name: token.id,
      label: token.name,
      values: [say("nobody"), ...creatures.map(({ id, name }) => `${name} (${id})`)],
      selected: creatures.findIndex(({ id }) => id === proposed) + 1,
    };
  });
  const chosen = await picked(say("bind"), fields);
  if (!chosen) return null;
  for (const token of tokens) {
    const creature = creatures[chosen[token.id] - 1]?.id ?? null;
    await token.update({ flags: { [ID]: { encounter: setting("encounter"), creature } } });
  }
  return null;
}

/** Draw the fight's walls and doors on the shown scene, and keep them as the fight has them. */
export const draw = () => canvas.scene.setFlag(ID, "drawn", setting("encounter"));

/** Remove from the shown scene what `draw` made. */
export async function erase() {
  const ours = [...canvas.scene.walls].filter((wall) => wall.getFlag(ID, "segment"));
  await canvas.scene.setFlag(ID, "drawn", "");
  await canvas.scene.deleteEmbeddedDocuments("Wall", ours.map(({ id }) => id));
}

// Shapes: predicates that return whether a value has a certain form. Objects come from the canonical parser.

import { isHex, isUuid } from "./bytes.mjs";

export const text = (value) => typeof value === "string";
export const truth = (value) => typeof value === "boolean";
export const whole = (value) => Number.isInteger(value);
export const list = (value) => Array.isArray(value);
export const object = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const anything = () => true;
export const uuid = isUuid;
export const hash = (value) => isHex(value, 64);
export const digits = (count) => (value) => isHex(value, count);
export const only = (...values) => (value) => values.includes(value);
export const from = (least, most = Infinity) => (value) => whole(value) && value >= least && value <= most;
export const matching = (pattern) => (value) => text(value) && pattern.test(value);
export const listOf = (shape) => (value) => list(value) && value.every(shape);
export const either = (...shapes) => (value) => shapes.some((shape) => shape(value));
export const mapOf = (shape) => (value) => object(value) && Object.values(value).every(shape);

/** Whether a value is the id of a seat. */
export const seatId = matching(/^[a-z0-9][a-z0-9-]{0,23}$/);

/** An object with at least these members; members of `optional`, if present, must have their shape. */
export function having(members, optional = {}) {
  return (value) =>
    object(value) &&
    Object.entries(members).every(([name, shape]) => Object.hasOwn(value, name) && shape(value[name])) &&
    Object.entries(optional).every(([name, shape]) => !Object.hasOwn(value, name) || shape(value[name]));
}

/** An object with these members, perhaps those of `optional`, and no others. */
export function exactly(members, optional = {}) {
  const fits = having(members, optional);
  const isKnown = (name) => Object.hasOwn(members, name) || Object.hasOwn(optional, name);
  return (value) => fits(value) && Object.keys(value).every(isKnown);
}

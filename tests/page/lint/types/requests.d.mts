// What the page uses of the client's module.

export { Problem, Unreachable } from "./rewound.mjs";
/** Statuses after which the same request may be sent again. */
export const AGAIN: Set<number>;

// What the page uses of the client's module.

export { seal } from "./rewound.mjs";

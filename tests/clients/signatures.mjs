// Says of each signature on standard input whether it is true: by node's own Ed25519, by the equation, and by the browser's.

import { readFileSync } from "node:fs";

const cases = JSON.parse(readFileSync(0, "utf-8")).map((each) => each.map((digits) => Uint8Array.from(Buffer.from(digits, "hex"))));
const node = await import("../../service/api/pages/verifier/ed25519.mjs");
const { process } = globalThis;
Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
const browser = await import("../../service/api/pages/verifier/ed25519.mjs?browser");
Object.defineProperty(globalThis, "process", { value: process });

const heard = [];
const verified = await browser.natively(() => cases.map((each) => browser.verifies(...each)), (done, of) => heard.push([done, of]));
const after = cases.slice(0, 3).map((each) => browser.verifies(...each));
process.stdout.write(JSON.stringify({
  native: cases.map((each) => node.verifies(...each)), computed: cases.map((each) => node.computed(...each)), browser: verified, after, heard,
}));

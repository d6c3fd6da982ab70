// Verify a bundle in a thread of its own, so that the page goes on.

import { reportOf } from "./proof_report.mjs";

addEventListener("message", ({ data: { bundle, keys } }) => {
  const fail = (/** @type {unknown} */ fault) => setTimeout(() => { throw fault; }); // the page hears of it as the worker's error
  reportOf(bundle, keys).then((found) => postMessage(found), fail);
});

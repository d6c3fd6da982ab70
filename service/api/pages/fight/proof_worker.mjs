// Verify a bundle in a thread of its own, so that the page goes on.

import { reportOf } from "./proof_report.mjs";

addEventListener("message", ({ data: { bundle, keys } }) => postMessage(reportOf(bundle, keys)));

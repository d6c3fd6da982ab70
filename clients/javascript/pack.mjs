// Before npm packs: bring the verifier's modules along. Behind it, with --undo: take them away again.
//
// In the tree they have one home, where every service serves them from with its page /docs/verify.

import { copyFile, mkdir, readdir, rm } from "node:fs/promises";

const home = new URL("../../service/api/pages/verifier/", import.meta.url);
const here = new URL("./verifier/", import.meta.url);

await rm(here, { recursive: true, force: true });
if (!process.argv.includes("--undo")) {
  await mkdir(here);
  for (const name of await readdir(home)) if (name.endsWith(".mjs")) await copyFile(new URL(name, home), new URL(name, here));
}

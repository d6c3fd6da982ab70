// Before npm packs: copy the verifier's modules here. Afterwards, with --undo: delete the copies.
//
// The originals belong to the service, which serves them with its page /docs/verify.

import { copyFile, mkdir, readdir, rm } from "node:fs/promises";

const home = new URL("../../service/api/pages/verifier/", import.meta.url);
const here = new URL("./verifier/", import.meta.url);

await rm(here, { recursive: true, force: true });
if (!process.argv.includes("--undo")) {
  await mkdir(here);
  for (const name of await readdir(home)) if (name.endsWith(".mjs")) await copyFile(new URL(name, home), new URL(name, here));
}

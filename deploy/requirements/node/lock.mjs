// Pin the packages of package.json again by version and hash; addresses and prose are left out.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const [npm] = process.argv.slice(2);
const left = ["resolved", "funding", "license", "deprecated", "engines"];
execFileSync(process.execPath, [npm, "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"]);
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
for (const each of Object.values(lock.packages)) for (const name of left) delete each[name];
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 1)}\n`);

#!/usr/bin/env node
// Audit a bundle on the command line: node clients/javascript/verify.mjs fight.jsonl [--key K] [--receipt N:HASH]
//
// It runs the same verifier as the page /docs/verify, on a file, and exits with a status.

import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { readFile } from "node:fs/promises";

const packed = existsSync(new URL("./verifier/", import.meta.url)); // in the npm package; the source tree has it in the service
const home = packed ? "./verifier" : "../../service/api/pages/verifier";
const { BadEvening, dataOf, judgeEvening, linesOf, readEvening } = await import(`${home}/evening.mjs`);
const { plain } = await import(`${home}/plain.mjs`);
const { lines } = await import(`${home}/telling.mjs`);
const { NO_POLICY, readTrust } = await import(`${home}/trust.mjs`);
const { keyOf, readReceiptFile, receiptOf, seatKeyOf, verify } = await import(`${home}/verify.mjs`);

const USAGE = `usage: rewound-verify FILE|DIRECTORY... [--key K]... [--seat-key S:KEY]... [--receipt N:HASH|FILE]... [--certificate FILE]
                      [--log FILE [--policy FILE] [--delay SECONDS]] [--unsigned] [--without-rules] [--json]

Audits the bundle FILE: bytes, chain, tree, checkpoints, receipts, seals and dice. It does not apply the rules;
\`rewound verify\` does.

Several files, or a directory, are the fights of an evening: a table with one status. What lies in the directory is used by
what it is: receipts, answers, certificates, log proofs, keys.txt, seat-keys.txt, policy.txt, fights.txt.

--key K             a key you trust, as 64 hexadecimal digits or a verifier key: it must have signed up to the
                    end, and no other key may
--receipt R         a receipt: N:HASH, or a file with an answer of the service, and the receipt that it signed
--seat-key S:KEY    a seat and its public key that you know from elsewhere: each of its commands must be signed by it
--certificate FILE  a certificate, as canonical JSON; FILE must be the record that it certifies
--log FILE          a log proof: the bundle is held to the public log
--policy FILE       a policy: the logs and witnesses that you trust, and how many are enough; and how much may come between
                    what a seat had seen and its command
--delay SECONDS     within how many seconds the witnesses must have seen a commit (86400)
--unsigned          exit with 0 even if no key was given; needs --without-rules too
--without-rules     exit with 0 although no rule was applied
--json              print the report as JSON

Exit status: 3 malformed, 4 tampered, 5 truncated, 6 forked, 7 dice_invalid, 11 unsigned_from, 12 valid_without_rules (0
with --without-rules), 13 valid_unsigned_without_rules (0 with both), 14 empty, 16 not_a_bundle, 17 certificate_mismatch, 22
forged_command, 23 receipt_mismatch, 24 false_quarantine, 25 dice_moved, 19 seam_broken, 26 not_accepted, 27 valid_in_part,
28 false_refusal, 30 bad_log_proof, 31 log_contradicted, 32 unlogged, 33 unwitnessed, 34 misdated, 35 outdated; 40 missing; 1 and 2: an error without a verdict.`;

const MOST_BYTES = 256 * 2 ** 20;
const NO_FILE = 1;
const WRONG_OPTION = 2;

const leave = (status, text) => {
  process.stderr.write(`${text}\n`);
  process.exit(status);
};

const read = (path) => readFile(path).catch((fault) => leave(NO_FILE, `${path}: ${fault.code}`));

/** Adds a receipt to what was asked: `N:HASH`, or what is in a file. */
const take = (found, text, value) => {
  if (!existsSync(text)) return void found.receipts.push(value("--receipt", receiptOf(text)));
  const { signed, receipt } = readReceiptFile(readFileSync(text));
  found.signedReceipts.push(...signed);
  if (receipt !== null) found.receipts.push(receipt);
};

/** A key of a seat that has no other one; otherwise null. */
const alone = (known, pair) => (Object.entries(pair ?? {}).some(([seat, key]) => Object.hasOwn(known, seat) && known[seat] !== key) ? null : pair);

/** Return the parsed arguments; exits with a usage message if they are invalid. */
const asked = (words) => {
  const found = { files: [], keys: [], receipts: [], signedReceipts: [], seatKeys: {}, certificate: null, log: null, policy: null, delay: 86_400, unsigned: false, withoutRules: false, json: false };
  const rest = [...words];
  const value = (word, parsed) => parsed ?? leave(WRONG_OPTION, `${word}: not a valid value\n\n${USAGE}`);
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === "--help" || word === "-h") { process.stdout.write(`${USAGE}\n`); process.exit(0); }
    else if (word === "--json") found.json = true;
    else if (word === "--unsigned") found.unsigned = true;
    else if (word === "--without-rules") found.withoutRules = true;
    else if (word === "--key") found.keys.push(value(word, keyOf(rest.shift() ?? "")));
    else if (word === "--seat-key") Object.assign(found.seatKeys, value(word, alone(found.seatKeys, seatKeyOf(rest.shift() ?? ""))));
    else if (word === "--receipt") take(found, rest.shift() ?? "", value);
    else if (word === "--certificate") found.certificate = value(word, rest.shift());
    else if (word === "--log") found.log = value(word, rest.shift());
    else if (word === "--policy") found.policy = value(word, rest.shift());
    else if (word === "--delay") found.delay = value(word, /^[0-9]{1,10}$/.test(rest[0] ?? "") ? Number(rest.shift()) : undefined);
    else if (word.startsWith("-")) leave(WRONG_OPTION, `${word}?\n\n${USAGE}`);
    else found.files.push(word);
  }
  return found.files.length === 0 ? leave(WRONG_OPTION, USAGE) : found;
};

const isDirectory = (path) => existsSync(path) && statSync(path).isDirectory();

/** The bytes of a file, but no more than show that it is too long. */
const contentOf = (path) => {
  if (!isFile(path)) return new Uint8Array(readFileSync(path)); // a pipe has no size
  const bytes = new Uint8Array(Math.min(statSync(path).size, MOST_BYTES + 1));
  const file = openSync(path);
  let size = 0;
  for (let more = -1; more !== 0 && size < bytes.length; size += more) more = readSync(file, bytes, size, bytes.length - size, null);
  closeSync(file);
  return bytes.subarray(0, size);
};

const isFile = (path) => {
  try { return statSync(path).isFile(); } catch { return false; } // a link that leads nowhere
};

/** The paths of the files below a directory, as bytes because names need not be UTF-8; links to directories are not followed. */
const filesBelow = (directory) => readdirSync(directory, { withFileTypes: true, encoding: "buffer" }).flatMap((entry) => {
  const path = Buffer.concat([directory, Buffer.from("/"), entry.name]);
  if (entry.isDirectory()) return filesBelow(path);
  return isFile(path) ? [path] : [];
});

const inOrder = (paths) => paths.sort(Buffer.compare);
const nameOf = (path) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(path);
const TEXTS = ["keys.txt", "seat-keys.txt", "policy.txt", "fights.txt"];

/** The files at some paths, those of a directory with their paths in it; a second file of a name has its whole path, except for a text file. */
const filesAt = (paths) => {
  const named = new Set();
  return paths.flatMap((path) => {
    if (!existsSync(path)) leave(NO_FILE, `${path}: ENOENT`);
    const top = Buffer.from(path.replace(/(?<=[^/])\/+$/, ""));
    const inside = isDirectory(path) ? inOrder(filesBelow(top)).map((file) => ({ file, name: nameOf(file.subarray(top.length + 1)) })) : [{ file: top, name: basename(path) }];
    return inside.map(({ file, name: short }) => {
      const name = named.has(short) && !TEXTS.includes(short) ? nameOf(file) : short;
      named.add(name);
      return { name, bytes: contentOf(file) };
    });
  });
};

/** Judge an evening, and print its table. */
const evening = (paths, held, json) => {
  let found;
  try { found = readEvening(filesAt(paths)); } catch (fault) {
    if (!(fault instanceof BadEvening)) throw fault;
    leave(NO_FILE, fault.message);
  }
  if (found.bundles.length === 0) leave(NO_FILE, "there is no bundle among these files");
  const data = dataOf([...judgeEvening(found, held)], found.unread);
  process.stdout.write(`${json ? plain(JSON.stringify(data, null, 2), "\n") : linesOf(data).map((line) => plain(line)).join("\n")}\n`);
  process.exit(data.status);
};

const { files, certificate, log, policy, json, ...held } = asked(process.argv.slice(2));
const trust = policy === null ? NO_POLICY : readTrust(await read(policy)) ?? leave(WRONG_OPTION, `${policy}: not a policy`);
if (trust.asksLog && log === null && files.length === 1 && !isDirectory(files[0])) leave(WRONG_OPTION, "--policy says how --log is judged: give both");
if (files.length > 1 || isDirectory(files[0])) {
  if (certificate !== null || log !== null) leave(WRONG_OPTION, "several fights take certificates and log proofs from their directory");
  evening(files, { ...held, trust: policy === null ? undefined : trust }, json);
}
const given = { certificate: certificate === null ? null : await read(certificate), log: log === null ? null : await read(log) };
if (!existsSync(files[0])) leave(NO_FILE, `${files[0]}: ENOENT`);
const report = verify(contentOf(files[0]), { ...held, ...given, trust });
process.stdout.write(json ? `${plain(JSON.stringify(report, null, 2), "\n")}\n` : `${lines(report).join("\n")}\n`);
process.exitCode = report.status;

// Pass a file to the verifier and show its report. This code opens no connections.

import { showRecord } from "./record.js";
import { dataOf, judgeEvening, readEvening } from "./verifier/evening.mjs";
import { plain } from "./verifier/plain.mjs";
import { proves } from "./verifier/proves.mjs";
import { facts, warnings } from "./verifier/telling.mjs";
import { SOUND } from "./verifier/verdict.mjs";
import { readTrust } from "./verifier/trust.mjs";
import { keyOf, readReceiptFile, receiptOf, seatKeyOf, verifyNatively } from "./verifier/verify.mjs";

const at = (id) => document.getElementById(id);

/** Return the parsed lines of a text field; throws an Error for a line that is not valid. */
const linesOf = (id, read, what) =>
  at(id).value.split("\n").map((line) => line.trim()).filter((line) => line).map((line) => {
    const found = read(line);
    if (found === null) throw new Error(`${line} is not a valid ${what}`);
    return found;
  });

const bytesOf = (id) => Promise.all(Array.from(at(id).files, async (file) => new Uint8Array(await file.arrayBuffer())));

/** Return what the file is held to. */
const held = async () => {
  const [[log = null], [policy = null], signed] = await Promise.all([bytesOf("log"), bytesOf("policy"), bytesOf("signed")]);
  const trust = policy === null ? undefined : readTrust(policy);
  if (trust === null) throw new Error("that is not a policy");
  if (trust?.asksLog && log === null) throw new Error("a policy says how a log proof is judged: choose both");
  const files = signed.map(readReceiptFile);
  return {
    keys: linesOf("keys", keyOf, "key"),
    receipts: [...linesOf("receipts", receiptOf, "receipt"), ...files.flatMap(({ receipt }) => receipt ?? [])],
    signedReceipts: files.flatMap((file) => file.signed), seatKeys: Object.assign({}, ...linesOf("seat-keys", seatKeyOf, "key of a seat")), log, trust,
  };
};

const show = (kind, title, meaning, rows, code = "") => {
  at("result").hidden = false;
  at("result").className = kind;
  const name = document.createElement("code");
  name.textContent = plain(code);
  at("verdict").replaceChildren(plain(title), " ", name);
  at("meaning").textContent = plain(meaning);
  at("facts").replaceChildren(...rows.flatMap(([name, value]) => {
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = plain(name);
    description.textContent = plain(value);
    return [term, description];
  }));
};

let last = null;

/** Give the file to a window of this service's home, which imports it and shows it on its map. */
const hand = () => {
  const home = open("/#import");
  addEventListener("message", ({ origin, source, data }) => {
    if (origin === location.origin && source === home && data === "ready") home.postMessage(last, location.origin);
  });
};

const importer = document.createElement("button");
importer.type = "button";
importer.textContent = "Import it here, and replay it on its map";
importer.title = "Sends the bundle to this service, which audits it; it asks for a key";
importer.addEventListener("click", hand);

const judge = async (file) => {
  last = file ?? last;
  if (!last) return;
  show("", "Reading …", last.name, []);
  at("record").replaceChildren();
  importer.remove();
  await new Promise((done) => { setTimeout(done, 20); }); // lets the browser draw before the work begins
  try {
    const raw = await last.arrayBuffer();
    const holds = await held();
    const report = await verifyNatively(raw, holds, (done, of) => show("", "Reading …", `${done} of ${of} signatures`, []));
    const { verdict } = report;
    const isSound = report.checked.length > 0;
    const says = isSound ? proves(report) : null;
    const said = says ? [...says.checked, says.proves, ...warnings(report).map((each) => `${each}.`), "What it does not prove:", ...says.open].join(" ")
      : [verdict.meaning, ...warnings(report), verdict.detail].filter((part) => part).join(". ");
    const kind = !isSound ? "fault" : verdict.name === SOUND.signed ? "sound" : "";
    const title = isSound ? "Nothing is wrong with this file" : "Something is wrong with this file";
    show(kind, title, said, [["file", last.name], ...facts(report)], verdict.text);
    if (isSound) {
      at("result").append(importer);
      showRecord(at("record"), raw, holds.keys);
    }
  } catch (fault) {
    show("", "Nothing to verify", fault.message, []);
  }
};

const countsIn = (counts) => Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ");

/** What the table says of one fight. */
const rowOf = ({ file, encounter, title, sides, decisions, verdict, note, status }) => {
  const who = Object.entries(sides).map(([side, names]) => `${side}: ${names.join(", ")}`).join(" / ");
  const decided = countsIn(decisions);
  const said = [verdict.text, who, decided && `decided by people: ${decided}`, note, status === 0 ? "" : verdict.detail];
  return [title || file || encounter, said.filter((part) => part).join(" · ")];
};

/** Verify the files of an evening together, one fight at a time, so that the page shows how far it is. */
const judgeAll = async (chosen) => {
  const files = Array.from(chosen);
  if (files.length < 2) return judge(files[0]);
  last = null;
  at("record").replaceChildren();
  importer.remove();
  try {
    const read = await Promise.all(files.map(async (file) => ({ name: file.webkitRelativePath.replace(/^[^/]*\//, "") || file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    const found = readEvening(read);
    if (found.bundles.length === 0) throw new Error("there is no bundle among these files");
    const { log, ...all } = await held();
    const rows = [];
    for (const row of judgeEvening(found, { ...all, withoutRules: true, unsigned: true })) {
      rows.push(row);
      show("", "Reading …", `${rows.length} of ${found.bundles.length} fights`, []);
      await new Promise((done) => { setTimeout(done, 0); });
    }
    const { fights, unread, status } = dataOf(rows, found.unread);
    const wrong = fights.filter((fight) => fight.status !== 0).length;
    const title = status === 0 ? `Nothing is wrong with these ${fights.length} fights` : `Something is wrong with ${wrong} of ${fights.length} fights`;
    const rest = unread.length > 0 ? `Not read: ${unread.join(", ")}` : "";
    const isSigned = fights.every(({ verdict }) => verdict.name === SOUND.signed);
    show(status !== 0 ? "fault" : isSigned ? "sound" : "", title, rest, fights.map(rowOf));
  } catch (fault) {
    show("", "Nothing to verify", fault.message, []);
  }
};

at("file").addEventListener("change", () => judge(at("file").files[0]));
at("folder").addEventListener("change", () => judgeAll(at("folder").files));
for (const id of ["keys", "receipts", "signed", "seat-keys", "log", "policy"]) at(id).addEventListener("change", () => judge());
for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => { event.preventDefault(); at("drop").classList.add("over"); });
}
document.addEventListener("dragleave", () => at("drop").classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  at("drop").classList.remove("over");
  judgeAll(event.dataTransfer.files);
});

// Play the sample fight with keys: print its id, how the receipts and false ones fared, and what was refused.
//
// Arguments: the service's address, an API key, a written fight.

import { readFile } from "node:fs/promises";
import { Client, FalseReceipt, OtherKey, SeatKey } from "../../clients/javascript/rewound.mjs";
import { ReceiptChecker } from "../../clients/javascript/receipts.mjs";

const [url, key, file] = process.argv.slice(2);
const fight = JSON.parse(await readFile(file, "utf-8")).forms.s002;
const kept = new Map();
const storage = { getItem: async (name) => kept.get(name) ?? null, setItem: async (name, value) => void kept.set(name, value) };

const plain = await new Client(url, key).open(fight.opening);
const receipts = [];
const gm = await plain.signing("gm", await SeatKey.keptIn(storage, "gm"));
const seats = { gm };
for (const { seat } of fight.opening.seats) {
  const own = await SeatKey.keptIn(storage, seat);
  const token = await gm.token(seat, { publicKey: own.public });
  seats[seat] = (await gm.as(token).signing(seat, own)).keeping((each) => receipts.push(each));
}
for (const { seat, send } of fight.steps) if (send) await seats[seat].send(send);

const { zoe } = seats;
const again = await SeatKey.keptIn(storage, "zoe");
const other = await zoe.signing("zoe", await SeatKey.make()).catch((fault) => fault instanceof OtherKey);
const unsigned = await zoe.as(await gm.token("zoe")).contest({ commit: 3, claim: "x" }).catch(({ code }) => code);
const seen = zoe.as(await gm.token("zoe"));
const signing = await seen.signing("zoe", again);
await gm.openSeat({ seat: "bob", role: "player", creatures: [] });
await gm.changeSeat("bob", []);
await gm.closeSeat("bob");
await gm.rule((await signing.contest({ commit: 3, claim: "no" })).contest, { ending: "upheld", decision: "yes" });
const before = await gm.bundle();
const undone = await gm.undo({ to: (await gm.about()).version - 1, reason: "too far" });
const redone = await gm.redo();
await signing.send([{ type: "contest", commit: 2, claim: "a" }, { type: "contest", commit: 2, claim: "b" }]);
await gm.close("the end");

const failed = async (change, known) => {
  const [receipt] = receipts;
  const outcome = { n: receipt.n, hash: receipt.hash, receipt: { ...receipt, ...change } };
  return new ReceiptChecker(() => {}, known).take(outcome).then(() => null, (fault) => fault instanceof FalseReceipt);
};
const found = {
  before, after: await gm.bundle(), receipts, other, unsigned, isKept: again.secret === kept.get("zoe"),
  amended: [undone.status, redone.status],
  failed: [await failed({}), await failed({ n: 1 }), await failed({ prev: "0".repeat(64) }), await failed({}, "0".repeat(64))],
  unfit: [await failed({ more: 1 }), await failed({ format: "x" }), await failed({ key: receipts[0].key.toUpperCase() })],
};
process.stdout.write(JSON.stringify(found), () => process.exit(0));

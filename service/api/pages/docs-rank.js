// How well an entry answers what a reader asks: what it is called counts more than what it says, rare words more than
// common ones. Readers say "monster" or "phone"; the pages say it in their own words, which `SAME` joins.

const LITTLE = new Set(("a about am an and any are as at be by can could did do does for from get give had has have he her his how i if in into is it "
  + "its let make makes me mine my not of off on one or our out own say see she should so some somebody take tell that the their them then there "
  + "they this to too up us use want was we were what when where which who whom whose why will with without work works would you your").split(" "));
const SAME = {
  monster: ["creature", "stat"], enemy: ["creature"], npc: ["creature"], character: ["creature", "sheet"], token: ["seat", "creature"],
  phone: ["player", "link"], invite: ["link", "seat", "reach"], wifi: ["network"], internet: ["tunnel", "network"], hp: ["hit"], health: ["hit"],
  cheat: ["lie", "host", "try"], fair: ["proof", "dice"], random: ["dice"], dice: ["die"], roll: ["dice"], check: ["verify", "prove"], prove: ["verify", "proof"],
  wrong: ["contest"], mistake: ["contest", "undo"], rewind: ["undo"], wall: ["walls"], battlemap: ["map"], scene: ["map"], install: ["start", "run"],
  crash: ["kill", "restart"], slow: ["performance", "scaling"], fast: ["performance"], hidden: ["hide"], fog: ["hidden", "light"], secret: ["sealed"],
  password: ["key"], login: ["key"], account: ["key", "owner"], websocket: ["stream"], events: ["stream"], live: ["stream"], realtime: ["stream"],
  error: ["problem"], retry: ["idempotency"], duplicate: ["idempotency"], twice: ["idempotency"], tournament: ["organiser", "evening"], docker: ["image"],
  upgrade: ["update"], discord: ["webhook"], dead: ["unconscious", "falls"], spectator: ["observer"], watch: ["observer"], typescript: ["javascript"],
};
const STEPS = { exact: 6, begins: 4, beside: 1.5, says: 1.5 };
const ENOUGH = 0.55; // the least part of what is asked, by weight, that an entry must have

const stem = (word) => (word.length > 4 ? word.replace(/(?:'s|ing|ies|ied|ed|es|e|s|y)$/, "") : word);
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);

const read = new WeakMap();
const partsOf = (entry) => {
  let parts = read.get(entry);
  if (!parts) {
    const counts = new Map();
    const says = wordsOf(entry.text ?? "");
    for (const word of says) counts.set(stem(word), (counts.get(stem(word)) ?? 0) + 1);
    parts = { name: wordsOf(entry.name).map(stem), beside: wordsOf(entry.beside ?? "").map(stem), counts, size: says.length };
    read.set(entry, parts);
  }
  return parts;
};

const fit = (entry, term) => {
  const { name, beside, counts, size } = partsOf(entry);
  const count = counts.get(term) ?? 0;
  const says = count ? STEPS.says * (1 + Math.log(count)) / (1 + Math.log(1 + size / 60)) : 0;
  if (name.includes(term)) return STEPS.exact / (1 + Math.log(name.length) / 4) + says;
  if (name.some((word) => word.startsWith(term))) return STEPS.begins / (1 + Math.log(name.length) / 4) + says;
  return Math.max(beside.some((word) => word.startsWith(term)) ? STEPS.beside : 0, 0) + (says || (term.length > 2 && entry.words.includes(term) ? 0.3 : 0));
};

/** Return the entries that answer what is asked, the best first, each with its `score`, and `at` as its name fits: 0 to 4. */
export const ranked = (entries, asked) => {
  const phrase = asked.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
  const all = wordsOf(asked);
  const kept = all.filter((word) => !LITTLE.has(word));
  const terms = (kept.length ? kept : all).map((word) => ({ own: stem(word), others: (SAME[word] ?? SAME[word.replace(/s$/, "")] ?? []).map(stem) }));
  const among = terms.map(({ own, others }) => entries.map((entry) => Math.max(fit(entry, own), ...others.map((other) => 0.75 * fit(entry, other)))));
  const weights = among.map((fits) => Math.log(1 + entries.length / (1 + fits.filter((each) => each >= 0.5).length)));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return entries.map((entry, i) => {
    const low = entry.name.toLowerCase();
    const at = low === phrase ? 0 : low.startsWith(phrase) ? 1 : low.includes(phrase) ? 2 : entry.words.includes(phrase) ? 3 : 4;
    const covered = weights.reduce((sum, weight, j) => sum + (among[j][i] > 0 ? weight : 0), 0) / whole;
    const sum = weights.reduce((total, weight, j) => total + weight * among[j][i], 0);
    return { ...entry, at, covered, score: (entry.weight ?? 1) * sum * covered ** 2 + [1000, 400, 200, 4, 0][at] };
  }).filter(({ covered }) => covered >= ENOUGH).sort((one, other) => other.score - one.score);
};

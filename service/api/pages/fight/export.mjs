// Make one file of a fight that replays it in any browser: what the service answers about it, in the page that shows it.


const AT_ONCE = 6; // requests
const PAGE = 500;
const PLACE = '<script type="application/json" id="replayed">{}</script>';

/** Call *act* for each of *items*, a few at a time. @template T @param {T[]} items @param {(item: T) => Promise<void>} act */
const each = async (items, act) => {
  const left = [...items];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left.length) await act(/** @type {T} */ (left.shift()));
  }));
};

/** Return the file as text. @param {import("../client/rewound.mjs").Encounter} encounter @param {string} name of the bundle in it @returns {Promise<string>} */
export const replayOf = async (encounter, name) => {
  const { client, path } = encounter;
  await encounter.checkpoint().catch(() => {}); // without it, fewer commits are signed
  const [bundle, { certificate, fault }, seen] = await Promise.all([encounter.bundle(), encounter.audit(), encounter.options({ prompt: "-" })]);
  if (!certificate) throw new Error(fault ?? "the audit has failed");
  const size = bundle.split("\n").filter((line) => line.startsWith('{"kind":"commit"') || line.includes('"kind":"commit"')).length;
  const sentences = [], changes = [];
  for await (const commit of encounter.commits({ text: "en", limit: PAGE })) if (commit.n <= size) sentences.push(commit.text);
  for await (const change of encounter.creatureChanges({ limit: PAGE })) if (change.n <= size) changes.push(change);
  /** @type {Record<string, unknown>} */
  const answers = { "/options": { seat: seen.seat, version: size, options: [], lists: [] }, "/creatures/changes": { changes, next_cursor: null } };
  const wanted = ["", "/creatures", "/seats", "/contests", "/rolls/statistics", "/creatures/statistics",
    ...changes.filter((change) => change.map || change.n === 1).map(({ n }) => `/map?at=${n}`), ...changes.map(({ n }) => `/commits/${n}/explanation`)];
  await each(wanted, async (what) => { answers[what] = await client.get(`${path}${what}`); });
  const { text, meaning } = /** @type {{text: string, meaning: string}} */ (certificate.verdict);
  const content = { encounter: encounter.id, name, bundle, verdict: { text, meaning }, sentences, answers };
  const page = await (await client.fetch("/page/replay")).text();
  return page.replace(PLACE, () => `<script type="application/json" id="replayed">${JSON.stringify(content).replaceAll("<", "\\u003c")}</script>`);
};

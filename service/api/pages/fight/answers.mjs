// Answer what the page asks from the content of one file: the record of a bundle, and what a service answered about it.
//
// Commits, their dice and what is open of them come from the bundle, which the browser verifies. No other answer is in it.

/** @typedef {import("../client/rewound.mjs").Json} Json */
/**
 * @typedef {object} Replayed the content of a file that replays a bundle
 * @property {string} encounter
 * @property {string} name the name of the bundle's file
 * @property {string} bundle its text
 * @property {{text: string, meaning: string}} verdict what was found where the file was made
 * @property {string[][]} sentences of each commit, in order
 * @property {Record<string, Json>} answers the bodies of other answers, by what follows the encounter's address
 */

const NOT_HERE = { type: "about:blank", title: "Not in this file", status: 404, detail: "this file does not contain it" };

/** Return the commits of a bundle as the API lists them. @param {Replayed} replayed @returns {Json[]} */
export const commitsOf = ({ bundle, sentences }) => {
  /** @type {{n: number, commit: string, opened: Record<string, unknown>[], text: string[]}[]} */
  const commits = [];
  for (const line of bundle.split("\n").filter(Boolean)) {
    const { kind, n, bytes, index, payload, salt } = JSON.parse(line);
    if (kind === "commit") commits.push({ n, commit: bytes, opened: [], text: sentences[n - 1] });
    if (kind === "opened") commits[n - 1].opened.push({ index, payload, salt });
  }
  return commits;
};

/** Return a `fetch` that answers from the file. @param {Replayed} replayed @returns {typeof fetch} */
export const answering = (replayed) => {
  const commits = commitsOf(replayed);
  return async (address) => {
    const { pathname, searchParams } = new URL(String(address));
    const path = pathname.split(replayed.encounter)[1] ?? pathname;
    const at = searchParams.get("at");
    if (path === "/bundle") return new Response(replayed.bundle, { headers: { "Content-Type": "application/jsonl" } });
    const found = path === "/commits" ? { commits, next_cursor: null } : replayed.answers[at === null ? path : `${path}?at=${at}`];
    return Response.json(found ?? NOT_HERE, { status: found ? 200 : 404 });
  };
};

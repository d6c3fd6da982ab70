// Send requests so that each takes effect once: all tries share one idempotency key, until there is an answer.
//
// A request is retried after a broken connection (its answer is unknown), 429 and 503 (after their `Retry-After`), 504
// (the store did not answer) and the 202 of a command (it is stored and not decided yet). All other answers are final.

/** The statuses after which the same request is sent again. */
export const AGAIN = new Set([429, 503, 504]);
/** How long one request waits for an outcome by default, in seconds: the longest that the service allows. */
export const WAIT_S = 30;
const JOB_PAUSE_MS = 200;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** The service answered with a problem document (RFC 9457); its members are `status`, `code` and others. */
export class Problem extends Error {
  /** @param {number} status @param {Record<string, any>} data the problem document */
  constructor(status, data) {
    super(`${status} ${data.title ?? ""}: ${data.detail ?? ""}`);
    this.name = "Problem";
    this.status = status;
    /** The problem's type, for example `/problems/command-refused`. */
    this.type = data.type ?? null;
    /** The code of a refusal by the rules, for example `not_your_turn`. */
    this.code = data.code ?? null;
    this.title = data.title ?? null;
    this.detail = data.detail ?? null;
    /** The rule that refused, if one did. */
    this.rule = data.rule ?? null;
    /** The number of the command, if it is on the record. */
    this.n = data.n ?? null;
    this.data = data;
  }
}

/** No answer after all tries: the outcome of the request is unknown; look it up by `key`. */
export class Unreachable extends Error {
  constructor(url, key, cause) {
    super(`${url} does not answer: ${cause?.message ?? cause}`, { cause });
    this.name = "Unreachable";
    this.key = key;
  }
}

/** Wait *ms* milliseconds; rejects when the signal aborts. */
export const pause = (ms, signal) => new Promise((done, failed) => {
  if (signal?.aborted) { failed(signal.reason); return; }
  const stop = () => { clearTimeout(timer); failed(signal.reason); };
  const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); done(); }, ms);
  signal?.addEventListener("abort", stop, { once: true });
});

/** Return the pause before the next try in milliseconds: `Retry-After`, else an exponential backoff with jitter. */
export const retryPause = (count, retryAfter) => {
  const asked = Number.parseFloat(retryAfter ?? "");
  if (asked >= 0) return asked * 1000;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count) * (0.5 + Math.random() / 2);
};

/** Return a new idempotency key. */
export const newKey = () =>
  Array.from(globalThis.crypto?.getRandomValues(new Uint8Array(16)) ?? Array.from({ length: 16 }, () => Math.random() * 256),
    (byte) => Math.floor(byte).toString(16).padStart(2, "0")).join("");

/** Return an answer's body: JSON as a value, anything else as text. */
export const bodyOf = async (response) => {
  const text = await response.text();
  return /json(?!l)/.test(response.headers.get("Content-Type") ?? "") && text ? JSON.parse(text) : text;
};

/**
 * Send a request until it has a final answer; throws `Problem`, or `Unreachable` after `tries` tries.
 * @param {{url: string, method: string, headers: Record<string, string>, body?: string, key?: string, decided?: boolean,
 *   signal?: AbortSignal, tries: number, fetch: typeof fetch}} asked `decided`: retry while the answer is 202
 * @returns {Promise<{status: number, data: any, headers: Headers}>}
 */
export const answered = async (asked) => {
  const { url, method, headers, body, key, decided = false, signal, tries, fetch } = asked;
  const sent = key === undefined ? headers : { ...headers, "Idempotency-Key": `"${key}"` };
  let last = null;
  for (let count = 0; count < tries; count += 1) {
    let retryAfter = null;
    try {
      const response = await fetch(url, { method, headers: sent, body, signal });
      const data = await bodyOf(response);
      retryAfter = response.headers.get("Retry-After");
      if (response.status < 400) {
        if (!(decided && response.status === 202)) return { status: response.status, data, headers: response.headers };
        last = new Error("it is not decided yet");
      } else {
        last = new Problem(response.status, typeof data === "object" ? data : { detail: data });
        if (!AGAIN.has(response.status)) throw last;
      }
    } catch (fault) {
      if (signal?.aborted || (fault instanceof Problem && !AGAIN.has(fault.status))) throw fault;
      last = fault;
    }
    if (count + 1 < tries) await pause(retryPause(count, retryAfter), signal);
  }
  throw last instanceof Problem ? last : new Unreachable(url, key, last);
};

/** Yield a list, page by page. */
export async function* pages(client, path, name, query = {}) {
  let cursor;
  do {
    const page = await client.get(path, { ...query, cursor });
    yield* page[name];
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
}

/** Return an answer with all pages merged into its lists, which `lists` selects. */
export const whole = async (client, path, query, lists) => {
  const first = await client.get(path, query);
  let page = first;
  while (page.next_cursor) {
    page = await client.get(path, { ...query, cursor: page.next_cursor });
    lists(page).forEach((more, i) => lists(first)[i].push(...more));
  }
  return { ...first, next_cursor: null };
};

/** Start a job, wait until it has ended, and return it. */
export const jobs = async (client, path, data, name, signal, sending = {}) => {
  let job = await client.send("POST", path, data, { ...sending, decided: false, signal });
  while (job.status === "pending" || job.status === "running") {
    await pause(JOB_PAUSE_MS, signal);
    job = await client.get(`${path}/${job[name]}`, {}, { signal });
  }
  return job;
};

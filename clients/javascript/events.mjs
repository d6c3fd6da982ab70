// Read a stream of server-sent events over fetch, and resume it after a lost connection.

import { AGAIN, bodyOf, retryPause, pause, Problem } from "./requests.mjs";

/** A stream that is silent for this long is closed; it is longer than two heartbeats. */
const SILENCE_MS = 25000;

/** The name of an event without data: its id is where the stream begins. */
const BEGUN = "begun";

/** Yield `{event, id, data}` for each event in a body, a stream of bytes. */
export async function* eventsOf(body) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(body)) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop(); // an incomplete event, which is dropped at the end
    for (const frame of frames) {
      const event = eventOf(frame);
      if (event !== null) yield event;
    }
  }
}

/** Yield the chunks of a body; cancel it when the caller stops iterating, throw if it is silent too long. */
async function* chunksOf(body) {
  const reader = body.getReader();
  try {
    for (;;) {
      let timer;
      const silent = new Promise((_, failed) => {
        timer = setTimeout(() => failed(new Error("the stream is silent")), SILENCE_MS);
      });
      const { done, value } = await Promise.race([reader.read(), silent]).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const eventOf = (frame) => {
  const found = { event: "message", id: null, data: "" };
  for (const line of frame.split("\n")) {
    const [, field, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (field === "data") found.data += value;
    else if (field) found[field] = value;
  }
  if (found.data !== "") return { ...found, data: JSON.parse(found.data) };
  return found.id === null ? null : { event: BEGUN, id: found.id, data: {} };
};

/**
 * Yield every commit after a number once and in order, with heartbeats and resets between, until the signal aborts.
 * After a lost connection the stream is opened again at the last id. The events after `continued` are of the line of
 * play in which the encounter continues. Throws `Problem` for a final refusal.
 * @param {(headers: Record<string, string>) => Promise<Response>} open requests a stream
 * @param {(isConnected: boolean) => void} connected is called when a stream is open, and when it is lost
 */
export async function* following(open, after, signal, connected = () => {}) {
  let last = after;
  let place = null;
  for (let count = 0; !signal?.aborted; count += 1) {
    let retryAfter = null;
    let hasMoved = false;
    try {
      const response = await open({ Accept: "text/event-stream", ...(place ? { "Last-Event-ID": place } : {}) });
      retryAfter = response.headers.get("Retry-After");
      if (response.status >= 400) await refuse(response);
      else {
        connected(true);
        for await (const event of eventsOf(response.body)) {
          if (event.event === "commit" && event.data.n <= last) continue;
          if (event.event === "commit" && event.data.n > last + 1) break; // a gap: reconnect
          place = event.id ?? place;
          if (event.event === BEGUN) continue;
          last = { commit: event.data.n, reset: event.data.version, continued: event.data.n }[event.event] ?? last;
          count = 0;
          yield event;
          hasMoved = event.event === "continued";
          if (hasMoved) break;
        }
      }
    } catch (fault) {
      if (signal?.aborted) return;
      if (fault instanceof Problem) throw fault;
    }
    if (!hasMoved) connected(false);
    if (!hasMoved) await pause(retryPause(count, retryAfter), signal).catch(() => {});
  }
}

const refuse = async (response) => {
  if (AGAIN.has(response.status)) return;
  const data = await bodyOf(response);
  throw new Problem(response.status, typeof data === "object" ? data : { detail: data });
};

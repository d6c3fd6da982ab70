// Shows a stranger's text so that it acts neither on a terminal nor on a page: what cannot be seen is spelled out.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** *text* with every hidden character as JSON escapes it, but for those to *keep*. */
export function plain(text, keep = "") {
  return String(text).replace(HIDDEN, (found) => (keep.includes(found) ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

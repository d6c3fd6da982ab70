// Makes untrusted text safe for a terminal or a page: hidden characters are escaped.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** *text* with every hidden character escaped as in JSON, except those in *keep*. */
export function plain(text, keep = "") {
  return String(text).replace(HIDDEN, (found) => (keep.includes(found) ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

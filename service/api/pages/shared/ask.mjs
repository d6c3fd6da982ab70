// Ask before something that cannot be taken back, and say what is lost.

import { button, html } from "./dom.mjs";

/**
 * Ask whether to go on; return whether a person said yes.
 * @param {string} title @param {import("./dom.mjs").Child | import("./dom.mjs").Child[]} text what is lost @param {string} yes what the button says @returns {Promise<boolean>}
 */
export const confirmed = (title, text, yes) => new Promise((done) => {
  const dialog = html("dialog", { class: "card confirm", "aria-labelledby": "confirm-title", onclose: () => { done(dialog.returnValue === "yes"); dialog.remove(); } },
    html("h2", { id: "confirm-title" }, title), html("div", { class: "lost" }, typeof text === "string" ? html("p", {}, text) : text),
    html("div", { class: "row" }, button(yes, () => dialog.close("yes"), { class: "main yes" }), button("Leave it", () => dialog.close("no"))));
  document.body.append(dialog);
  dialog.showModal();
});

/** Copy a text; where the browser has no clipboard (no TLS), select it in *field*. @param {string} text @param {HTMLInputElement | null} field @returns {Promise<string>} what has happened, in a sentence */
export const copied = async (text, field) => {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    field?.focus();
    field?.select();
    const isDone = Boolean(field) && document.execCommand?.("copy");
    return isDone ? "Copied." : "Press Ctrl+C or hold the selected text to copy it: without TLS the browser does not copy by itself.";
  }
};

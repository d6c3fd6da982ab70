// The windows in which somebody chooses.

import { escaped } from "./service.mjs";

/** Show a select for each field with values and a line for each without; return what was chosen, null if the window is closed.
 *
 * A select gives the index of its value. */
export const picked = (title, fields) => foundry.applications.api.DialogV2.prompt({
  window: { title },
  rejectClose: false,
  content: fields.map(({ name, label, values, selected = 0 }) => `<label>${escaped(label)} ${values
    ? `<select name="${escaped(name)}">${values.map((value, at) =>
      `<option value="${at}"${at === selected ? " selected" : ""}>${escaped(value)}</option>`).join("")}</select>`
    : `<input name="${escaped(name)}" required>`}</label>`).join(""),
  ok: { callback: (_event, button) => Object.fromEntries(fields.map(({ name, values }) => {
    const { value } = button.form.elements[name];
    return [name, values ? Number(value) : value];
  })) },
});

// What `patch` must keep, for random trees: `random`; and when a control changes: `declared`.

export const random = async ([seed, rounds]) => {
  const { html, patch } = await import("/page/shared/dom.mjs");
  const place = html("div");
  document.body.append(place);
  let state = seed;
  const next = (most) => { state = (state * 1103515245 + 12345) % 2147483648; return state % most; };
  const heard = [];
  const row = (id) => {
    const kinds = [
      () => html("input", { key: id, id: `c${id}`, "aria-label": id, oninput: () => heard.push(id) }),
      () => html("textarea", { key: id, id: `c${id}`, "aria-label": id, oninput: () => heard.push(id) }),
      () => html("select", { key: id, id: `c${id}`, "aria-label": id }, ["a", "b", "c"].map((value) => html("option", { value }, value))),
      () => html("details", { key: id, id: `c${id}` }, html("summary", {}, id), html("p", {}, `round ${next(9)}`)),
      () => html("div", { key: id, id: `c${id}` }, html("div", {}, `${next(9)}`)),
    ];
    return kinds[id % kinds.length]();
  };
  const drawn = () => {
    const all = Array.from({ length: 15 }, (_, id) => id).filter((id) => id < 5 || next(3));
    for (let i = all.length - 1; i > 0; i -= 1) { const j = next(i + 1); [all[i], all[j]] = [all[j], all[i]]; }
    return all;
  };
  const draw = (ids) => patch(place, html("h2", {}, `${next(9)}`), ids.map((id) => [`text ${next(9)}`, row(id)]));
  draw(drawn());
  const kept = Array.from({ length: 5 }, (_, id) => place.querySelector(`#c${id}`));
  kept[0].value = "typed"; kept[1].value = "a claim"; kept[2].value = "c"; kept[3].open = true;
  Object.assign(kept[4].style, { height: "20px", overflow: "auto" });
  kept[4].firstChild.style.height = "200px";
  kept[4].scrollTop = 33;
  const faults = [];
  for (let round = 0; round < rounds; round += 1) {
    const focused = kept[round % 2];
    focused.focus();
    focused.setSelectionRange(1, 3);
    const ids = drawn();
    draw(ids);
    const shown = [...place.querySelectorAll("[id]")].map((each) => Number(each.id.slice(1)));
    if (shown.join() !== ids.join()) faults.push(`order ${shown} for ${ids}`);
    if (kept.some((each, id) => place.querySelector(`#c${id}`) !== each)) faults.push("another node");
    if (document.activeElement !== focused) faults.push("focus");
    if (focused.selectionStart !== 1 || focused.selectionEnd !== 3) faults.push("selection");
    if (kept[0].value !== "typed" || kept[1].value !== "a claim" || kept[2].value !== "c") faults.push("typed text");
    if (!kept[3].open) faults.push("opened");
    if (kept[4].scrollTop !== 33) faults.push(`scroll ${kept[4].scrollTop}`);
    if (place.childNodes.length !== 1 + 2 * ids.length) faults.push("count");
  }
  kept[0].dispatchEvent(new Event("input"));
  if (heard.join() !== "0") faults.push(`listeners ${heard}`);
  return [...new Set(faults)];
};

export const declared = async () => {
  const { html, patch } = await import("/page/shared/dom.mjs");
  const place = html("div");
  document.body.append(place);
  const draw = (value, isOn, chosen) => patch(place, html("input", { id: "v", value }), html("input", { id: "o", type: "checkbox", checked: isOn }),
    html("select", { id: "s" }, ["a", "b"].map((each) => html("option", { value: each, selected: each === chosen }, each))), html("textarea", { id: "t" }, value));
  draw("one", false, "a");
  const [v, o, s, t] = place.children;
  v.value = "typed"; o.checked = true; s.value = "b"; t.value = "typed";
  draw("one", false, "a");
  const untouched = [v.value, o.checked, s.value, t.value];
  draw("two", false, "b");
  const changed = [v.value, o.checked, s.value, t.value];
  let heard = "";
  patch(place, html("button", { id: "b", onclick: () => { heard += "old"; } }));
  patch(place, html("button", { id: "b", onclick: () => { heard += "new"; } }));
  place.firstChild.click();
  patch(place, html("button", { id: "b" }));
  place.firstChild.click();
  return { untouched, changed, heard };
};

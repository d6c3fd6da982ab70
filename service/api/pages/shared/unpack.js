// Unpack the modules that stand in this file, and start the one that shows it. It is put into the file, and loaded by no page.
(() => {
  const put = (/** @type {string} */ type, /** @type {string} */ textContent) => document.body.append(Object.assign(document.createElement("script"), { type, textContent }));
  const packed = Uint8Array.from(atob(document.getElementById("packed")?.textContent ?? ""), (each) => each.charCodeAt(0));
  new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json().then(({ modules, content, entry }) => {
    if (content !== null) Object.assign(document.getElementById("replayed") ?? {}, { textContent: JSON.stringify(content) });
    const addressed = Object.entries(modules).map(([name, source]) => [name, `data:text/javascript,${encodeURIComponent(source)}`]);
    put("importmap", JSON.stringify({ imports: Object.fromEntries(addressed) }));
    put("module", `import "${entry}";`);
  });
})();

"""Build the pages as the service serves them: flat addresses below `/docs`, one template, one search index.

Sphinx and MyST read the Markdown, resolve links and fail for one that leads nowhere. This module says where
each page is, shows files and directories that pages link to, and writes `pages.json`, from which the
page's own search finds pages, sections, rules, words and settings. The search adds what the running service
knows: operations, commands, fields, events, problems, and rules of other rulesets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.images import get_image_size

BASE: Final = "/docs"
FRONT: Final = "docs/README"
"""The page that has the paths, each a section with a numbered list of pages."""
PICTURES: Final = "docs/pictures"
ROWS: Final = {
    "docs/glossary": ("Words", "word-"),
    "docs/settings": ("Settings", ""),
    "service/rules/heartrush/RULES": ("Rules", ""),
    "service/rules/rise/RULES": ("Rules", ""),
}
"""Pages whose table rows are found by their first cell: the kind of each, and what its anchor begins with."""
UNSEARCHED: Final = frozenset({"CHANGELOG", "tests/PROMISES", "tests/vectors/LIES", "tests/vectors/README"})
"""Pages that the search leaves out: they have every word, and are no answer."""
ASIDE: Final = frozenset(
    {"docs/architecture", "docs/checks", "docs/contributing", "docs/inside", FRONT}
    | {"docs/format", "docs/format-record", "docs/format-verdicts"}
)
"""Pages that others should come before: they say how it is made, or only where things are."""
LANGUAGES: Final = {
    ".py": "python",
    ".mjs": "javascript",
    ".js": "javascript",
    ".json": "json",
    ".yaml": "yaml",
}
HIDDEN: Final = frozenset({"__pycache__", "requirements"})
"""Directories whose files are not shown with the directory that has them: nobody reads pins."""
REPLAY: Final = "examples/replay.html"
"""A page of its own, which the site has as it is."""
SERVED: Final = {"openapi.yaml": f"{BASE}/api", REPLAY: f"{BASE}/replay.html"}
"""Files that the service itself shows: the contract is the API reference."""
_TOP: Final = re.compile(r"^(?:docs|service|tests)/|/(?:README|RULES)$")


def page_name(docname: str) -> str:
    """Return the last part of the address of a page: `integrations` for `docs/integrations/README`."""
    return "index" if docname == FRONT else _TOP.sub("", docname).replace("/", "-").lower()


def source_name(path: str) -> str:
    """Return the last part of the address of the page that shows the file or directory at *path*."""
    return f"source-{path.replace('/', '-')}".lower()


class SiteBuilder(StandaloneHTMLBuilder):
    """Writes HTML without scripts, styles or addresses of its own."""

    name = "rewound"
    search = False
    copysource = False
    sources: set[str]
    """The paths of files and directories that are shown because a page links to them."""

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:  # noqa: ARG002 - of the base
        """Return the address of a page."""
        name = page_name(docname)
        return BASE if name == "index" else f"{BASE}/{quote(name)}"

    def get_relative_uri(self, from_: str, to: str, typ: str | None = None) -> str:  # noqa: ARG002 - of the base
        """Return the address of the page *to*, which does not depend on the page that links to it."""
        return self.get_target_uri(to)

    def get_output_path(self, page_name_: str, /) -> Path:
        """Return the file of a page."""
        return Path(self.outdir, page_name(page_name_) + self.out_suffix)

    def get_outdated_docs(self) -> Iterator[str]:
        """Write every page each time: the navigation of each shows all."""
        yield from self.env.found_docs

    def copy_static_files(self) -> None:
        """Copy the pictures and the replay; styles and scripts are the service's."""
        for file in (*(self.srcdir / PICTURES).iterdir(), self.srcdir / REPLAY):
            (Path(self.outdir) / file.name).write_bytes(file.read_bytes())

    def copy_download_files(self) -> None:
        """Copy none: a file that a page links to is a page."""

    def dump_inventory(self) -> None:
        """Write none: no other site links here by name."""

    def write_buildinfo(self) -> None:
        """Write none: every page is written each time."""


# --- what is read ---------------------------------------------------------------------------------------


def show_sources(app: Sphinx, doctree: nodes.document) -> None:
    """Lead links to files and directories of the project to pages that show them."""
    home = Path(app.env.docname).parent
    wanted: set[str] = set()
    for link in [
        *doctree.findall(addnodes.download_reference),
        *(each for each in doctree.findall(addnodes.pending_xref) if each.get("refdomain") is None),
    ]:
        found = (Path(app.srcdir) / home / link["reftarget"]).resolve()
        if not found.exists():
            continue
        path = found.relative_to(Path(app.srcdir).resolve()).as_posix()
        address = SERVED.get(path)
        if address is None:
            address = f"{BASE}/{source_name(path)}"
            wanted.add(path)
        link.replace_self(nodes.reference("", "", *link.children, refuri=address, internal=True))
    app.env.metadata[app.env.docname]["sources"] = sorted(wanted)


def name_rows(app: Sphinx, doctree: nodes.document) -> None:
    """Give each row of the tables in `ROWS` an anchor."""
    _, prefix = ROWS.get(app.env.docname, ("", ""))
    if app.env.docname in ROWS:
        for row in _rows(doctree):
            row["ids"].append(prefix + re.sub(r"[^\w-]+", "-", row[0].astext()).strip("-"))


def _rows(doctree: nodes.Element) -> list[nodes.row]:
    return [row for body in doctree.findall(nodes.tbody) for row in body.findall(nodes.row)]


# --- what is written ------------------------------------------------------------------------------------


def frame_pictures(app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Write each picture with its size, and with its twin for dark screens if there is one."""
    for image in list(doctree.findall(nodes.image)):
        file = Path(app.srcdir) / image["uri"]
        twin = file.with_name(file.name.replace("-light.", "-dark."))
        size = get_image_size(file)
        shape = f' width="{size[0]}" height="{size[1]}"' if size else ""
        dark = (
            f'<source media="(prefers-color-scheme: dark)" srcset="{BASE}/{twin.name}">'
            if twin != file and twin.exists()
            else ""
        )
        html = (
            f'<a class="picture" href="{BASE}/{file.name}"><picture>{dark}<img src="{BASE}/{file.name}"'
            f' alt="{escape(image.get("alt", ""))}" loading="lazy"{shape}></picture></a>'
        )
        image.replace_self(nodes.raw("", html, format="html"))


def frame_tables(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Put each table and each listing where it scrolls by itself, also by the keyboard."""
    for table in list(doctree.findall(nodes.table)):
        at = table.parent.index(table)
        opening = '<div class="wide" tabindex="0" role="group" aria-label="Table">'
        table.parent[at : at + 1] = [
            nodes.raw("", opening, format="html"),
            table,
            nodes.raw("", "</div>", format="html"),
        ]


def sources(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each file and directory that a page links to."""
    root = Path(app.srcdir)
    wanted = {path for each in app.env.metadata.values() for path in each.get("sources", ())}
    below = {
        file.relative_to(root).as_posix()
        for path in wanted
        for file in (root / path).rglob("*")
        if file.is_file() and not HIDDEN & {*file.parts}
    }
    for path in sorted(wanted | below):
        title = f"<h1><code>{escape(path)}</code></h1>"
        if (root / path).is_dir():
            inside = [each for each in sorted(below) if each.startswith(f"{path}/")]
            links = "".join(
                f'<li><a href="{BASE}/{source_name(each)}"><code>{escape(each)}</code></a></li>'
                for each in inside
            )
            body = f"{title}<ul>{links}</ul>"
        else:
            text = (root / path).read_text("utf-8")
            language = LANGUAGES.get(Path(path).suffix, "text")
            shown = app.builder.highlighter.highlight_block(text, language)  # type: ignore[attr-defined] # of HTML builders
            body = f"{title}{shown}"
        yield source_name(path), {"title": path, "body": body, "is_source": True}, "page.html"


def complete(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the template the paths, the sections of the page, and what follows it in each path."""
    paths = _paths(app)
    context["paths"] = paths
    context["here"] = app.builder.get_target_uri(pagename)
    context["nexts"] = [
        {"path": path["title"], **after}
        for path in paths
        for before, after in zip(path["pages"], path["pages"][1:], strict=False)
        if before["docname"] == pagename
    ]
    sections = doctree.findall(nodes.section) if doctree is not None else ()
    context["sections"] = [
        {"id": _anchor(each), "title": each[0].astext()}
        for each in sections
        if isinstance(each.parent, nodes.section) and isinstance(each.parent.parent, nodes.document)
    ]
    context["body"] = re.sub(
        r'<div class="highlight"><pre>',
        '<div class="highlight"><pre tabindex="0" role="group" aria-label="Listing">',
        context["body"],
    )


def _paths(app: Sphinx) -> list[dict[str, Any]]:
    """Return the reading paths of the front page, each with its pages in order."""
    found = []
    for section in app.env.get_doctree(FRONT).findall(nodes.section):
        lists = [each for each in section.children if isinstance(each, nodes.enumerated_list)]
        if lists:
            pages = [_linked(app, item) for item in lists[0]]
            found.append({"title": section[0].astext(), "id": _anchor(section), "pages": pages})
    return found


def _linked(app: Sphinx, item: nodes.Node) -> dict[str, str]:
    """Return the page to which an *item* of a path links first."""
    link = next(each for each in item.findall(nodes.Element) if "refuri" in each or "reftarget" in each)
    if "refuri" in link:
        return {"docname": "", "title": link.astext(), "url": link["refuri"]}
    docname, anchor = link["reftarget"], link.get("reftargetid")
    url = app.builder.get_target_uri(docname) + (f"#{anchor}" if anchor else "")
    return {"docname": docname, "title": link.astext(), "url": url}


def write_index(app: Sphinx, fault: Exception | None) -> None:
    """Write what the search finds: pages and their sections, rules, words and settings."""
    if fault is not None:
        return
    pages = sorted(app.env.found_docs - UNSEARCHED)
    entries = [entry for docname in pages for entry in _entries(app, docname)]
    (Path(app.outdir) / "pages.json").write_text(json.dumps(entries, ensure_ascii=False), "utf-8")


def _entries(app: Sphinx, docname: str) -> Iterator[dict[str, Any]]:
    doctree = app.env.get_doctree(docname)
    url = app.builder.get_target_uri(docname)
    title = app.env.titles[docname].astext()
    kind = ROWS.get(docname, ("", ""))[0]
    for section in doctree.findall(nodes.section):
        own = [child for child in section.children[1:] if not isinstance(child, nodes.section)]
        if kind:
            own = [child for child in own if not isinstance(child, nodes.table)]
        is_page = isinstance(section.parent, nodes.document)
        yield {
            "kind": "Pages",
            "name": section[0].astext(),
            "text": _words(own),
            "to": url if is_page else f"{url}#{_anchor(section)}",
            "beside": "" if is_page else title,
            **({"weight": 0.5} if docname in ASIDE else {}),
        }
    for row in _rows(doctree) if kind else ():
        name, *cells = [" ".join(cell.astext().split()) for cell in row]
        yield {
            "kind": kind,
            "name": name,
            "text": cells[-1] if kind == "Settings" else cells[0],
            "to": f"{url}#{row['ids'][-1]}",
            "beside": title.partition(":")[0],
        }


def _words(parts: Sequence[nodes.Node]) -> str:
    return " ".join(" ".join(part.astext().split()) for part in parts)


def _anchor(section: nodes.section) -> str:
    return str(section.get("slug") or section["ids"][0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what Sphinx calls."""
    app.add_builder(SiteBuilder)
    app.connect("doctree-read", show_sources)
    app.connect("doctree-read", name_rows)
    app.connect("doctree-resolved", frame_pictures)
    app.connect("doctree-resolved", frame_tables)
    app.connect("html-collect-pages", sources)
    app.connect("html-page-context", complete)
    app.connect("build-finished", write_index)
    return {"version": "1", "parallel_read_safe": True}

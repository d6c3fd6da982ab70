"""Pages about problems for people with a browser: of one type, of all types, and of one failed request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any, Final

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.api.problems import MEDIA_TYPE, PROBLEMS, ProblemType
from service.api.recorded import recorded

HTML: Final = "text/html; charset=utf-8"
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def prefers_page(accept: str | None) -> bool:
    """Return whether a client whose field `Accept` is *accept* prefers a page to JSON, as browsers do."""
    wanted = parse_accept_header(accept, MIMEAccept)
    return wanted.best_match((MEDIA_TYPE, "application/json", "text/html")) == "text/html"


def failure_page(kind: ProblemType, document: Mapping[str, Any]) -> str:
    """Return the HTML page that shows one failed request: the problem *document* of the type *kind*."""
    return _framed(
        kind.title,
        '<p class="crumb"><a href="/docs">Rewound</a> / <a href="/problems">problems</a></p>'
        f'<h1><span class="status s{kind.status // 100}">{kind.status}</span> {escape(kind.title)}</h1>'
        f"<p class=lead>{_marked(kind.text)}</p>"
        f"<p>At <code>{escape(document['instance'])}</code>: {escape(document['detail'])}.</p>"
        '<ul class=others><li><a href="/docs">Documentation of the API</a></li>'
        '<li><a href="/verify">Verify the bundle of a fight</a></li>'
        f'<li><a href="{kind.uri}">More about this problem</a></li></ul>'
        f"<p>Request <code>{escape(document['request_id'])}</code></p>",
    )


def problem_page(each: ProblemType) -> str:
    """Return the HTML page that explains *each*."""
    bare = {"type": each.uri, "title": each.title, "status": each.status, "detail": "…"}
    example = recorded()["problems"].get(each.code, bare)
    others = "".join(
        f'<li><a href="{other.uri}"><b>{other.status}</b> {escape(other.title)}</a></li>'
        for other in PROBLEMS.values()
        if other is not each
    )
    return _framed(
        each.title,
        f'<p class="crumb"><a href="/docs">Rewound</a> / <a href="/problems">problems</a> / {each.code}</p>'
        f'<h1><span class="status s{each.status // 100}">{each.status}</span> {escape(each.title)}</h1>'
        f"<p class=lead>{_marked(each.text)}</p>"
        '<pre tabindex="0" role="group" aria-label="Example"><code>'
        f"{escape(json.dumps(example, indent=2, ensure_ascii=False))}</code></pre>"
        f"<h2>Other problems</h2><ul class=others>{others}</ul>",
    )


def problems_page() -> str:
    """Return the HTML page that lists all problem types by status."""
    each_of = sorted(PROBLEMS.values(), key=lambda each: each.status)
    sections = "".join(
        f'<h2><span class="status s{each.status // 100}">{each.status}</span> '
        f'<a href="{each.uri}">{escape(each.title)}</a></h2><p>{_marked(each.text)}</p>'
        for each in each_of
    )
    return _framed(
        "Problems",
        '<p class="crumb"><a href="/docs">Rewound</a> / problems</p><h1>Problems</h1>'
        "<p class=lead>The API answers a failed request with a problem document (RFC 9457). The "
        f"<code>type</code> of a problem is the address of its page.</p>{sections}",
    )


def _framed(title: str, main: str) -> str:
    """Return an HTML page about problems; *title* is text, *main* is HTML."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Rewound</title>"
        '<link rel="icon" href="/docs/icon.svg"><link rel="stylesheet" href="/docs/docs.css"></head>'
        f'<body class="problem"><main>{main}</main></body></html>'
    )


def _marked(text: str) -> str:
    """Return *text* as HTML, with `…` as `<code>`."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))

"""A fight in a page of another site, by a frame and by the element `<rewound-fight>`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.cli.fights import Service, played
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

PAGE = """<!doctype html><html lang="en"><head><title>A forum</title><link rel="icon" href="data:,">
<script type="module" src="{url}/page/embed/rewound-fight.mjs"></script></head><body><h1>Our last evening</h1>
<rewound-fight code="{code}" commit="14" label="The orc and the hound" style="height: 500px"></rewound-fight>
<iframe id="plain" src="{url}/s#{code}" width="800" height="500" title="Live"></iframe></body></html>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a directory and writes no lines about it."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def forum(home: Path) -> Iterator[str]:
    """Serve *home* from an origin of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(home)))
    serving = Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def test_a_page_of_another_site_shows_a_fight(running: Service, window: Open, tmp_path: Path) -> None:
    table = played(running, "s002", seeded=False)
    table.gm.open_seat("forum", "observer")
    code = table.gm.share_seat("forum")["token"]
    (tmp_path / "index.html").write_text(PAGE.format(url=running.station.url, code=code), "utf-8")
    with forum(tmp_path) as at:
        page = window().visit(at)
        element = page.frame_locator("rewound-fight iframe")
        expect(element.locator("[data-creature]")).to_have_count(4)
        expect(element.locator(".count")).to_contain_text("14 / ")
        expect(element.locator("#status")).to_contain_text("seen as forum")
        expect(element.get_by_role("link", name="Open in a window")).to_have_attribute("target", "_blank")
        expect(page.frame_locator("#plain").get_by_role("button", name="● Live")).to_be_visible()
        page.locator("rewound-fight").evaluate("element => element.setAttribute('commit', '6')")
        expect(element.locator(".count")).to_contain_text("6 / ")
        page.close()

"""One service and one browser for the tests of the page.

Without a Chromium they are left out, and the run says so at its end.

Playwright keeps an event loop running on the thread that started it. So the browser, and each test that
steers it, has a thread of its own: a test that is cut off leaves no loop behind for the tests after it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from service.stores import api_keys
from tests.cli.fights import Service, served
from tests.page.browser import Window, started
from tests.page.chromium import chromium

DUEL = Path(__file__).parents[2] / "examples" / "duel"
collect_ignore_glob = [] if chromium() else ["test_*.py"]

Open = Callable[..., Window]
"""Opens a window; the test fails if its page reports an error."""


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Run a service that offers the duel too, as if its package were installed."""
    installed = tmp_path_factory.mktemp("installed")
    (installed / "rewound_duel-1.0.0.dist-info").mkdir()
    (installed / "rewound_duel-1.0.0.dist-info" / "METADATA").write_text(
        "Name: rewound-duel\nVersion: 1.0.0\n"
    )
    (installed / "rewound_duel-1.0.0.dist-info" / "entry_points.txt").write_text(
        "[rewound.rulesets]\nduel = rewound_duel:DUEL\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (installed, DUEL))))
        with served(tmp_path_factory.mktemp("page")) as service:
            yield service


@pytest.fixture(scope="package")
def stranger(running: Service) -> str:
    """Give the key of another owner."""
    with closing(running.station.log()) as log:
        return api_keys.create(log, "stranger", time.time())[0]


@pytest.fixture(scope="package")
def thread() -> Iterator[ThreadPoolExecutor]:
    """Give the one thread that steers the browser."""
    with ThreadPoolExecutor(1, "browser") as found:
        yield found


@pytest.fixture(scope="package")
def browser(thread: ThreadPoolExecutor, stranger: str) -> Iterator[Browser]:
    starting = started()
    yield thread.submit(starting.__enter__).result()
    thread.submit(starting.__exit__, None, None, None).result()


@pytest.fixture(autouse=True)
def on_its_thread(request: pytest.FixtureRequest, thread: ThreadPoolExecutor) -> None:
    """Run each test of this folder on the thread of the browser."""
    test = request.node.obj
    request.node.obj = lambda **given: thread.submit(test, **given).result()


@pytest.fixture
def window(thread: ThreadPoolExecutor, browser: Browser) -> Iterator[Open]:
    opened: list[Window] = []

    def open_one(**how: Any) -> Window:
        opened.append(Window.opened(browser, **how))
        return opened[-1]

    yield open_one
    for each in opened:
        thread.submit(each.close).result()

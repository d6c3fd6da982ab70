"""The command line's connection to a service: what it says if nobody answers, and that no proxy is used."""

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from click.testing import CliRunner

from service.cli.client import not_ready
from service.cli.demo import command


class Proxy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def nobody() -> str:
    """Return an address at which nothing listens."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{line.getsockname()[1]}"


@pytest.fixture
def proxy() -> Iterator[str]:
    """Yield the address of a proxy that answers every request itself."""
    with HTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_service_that_does_not_answer_is_named_at_once_with_the_systems_reason(nobody: str) -> None:
    told = CliRunner().invoke(command, ["--url", nobody, "--key", "rw_key"])
    assert told.exit_code == 1
    assert f"{nobody} does not answer: [Errno " in told.output


def test_an_address_that_is_none_is_named(nobody: str) -> None:
    told = CliRunner().invoke(command, ["--url", nobody.removeprefix("http://"), "--key", "rw_key"])
    assert told.exit_code == 1
    assert "Traceback" not in told.output


def test_no_proxy_comes_between(nobody: str, proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, proxy)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert not_ready(proxy) is None
    assert not_ready(nobody) is not None

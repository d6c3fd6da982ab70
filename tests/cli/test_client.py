"""The command line's connection to a service: what it says if nobody answers, and that no proxy is used."""

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from click.testing import CliRunner

from service.cli.client import not_ready
from service.cli.demo import command


class Proxy(BaseHTTPRequestHandler):
    status = 200
    body = b""

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

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
    found = CliRunner().invoke(command, ["--url", nobody, "--key", "rw_key"])
    assert found.exit_code == 1
    assert f"{nobody} does not answer: [Errno " in found.output


def test_an_address_that_is_none_is_named(nobody: str) -> None:
    found = CliRunner().invoke(command, ["--url", nobody.removeprefix("http://"), "--key", "rw_key"])
    assert found.exit_code == 1
    assert "Traceback" not in found.output


def test_the_checks_that_fail_are_named(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = {"store": "ok", "worker": "no worker is alive", "outcomes": "being renewed"}
    monkeypatch.setattr(Proxy, "status", 503)
    monkeypatch.setattr(Proxy, "body", json.dumps({"status": "not_ready", "checks": checks}).encode())
    found = not_ready(proxy)
    assert found is not None
    assert found.waits_for == "worker (no worker is alive); outcomes (being renewed)"
    assert found.why == f"the service is not ready: {found.waits_for}"


def test_a_start_waits_for_an_api_that_does_not_answer(nobody: str) -> None:
    found = not_ready(nobody)
    assert found is not None
    assert found.waits_for == "the API"


def test_no_proxy_comes_between(nobody: str, proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, proxy)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert not_ready(proxy) is None
    assert not_ready(nobody) is not None

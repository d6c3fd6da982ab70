"""HTTP/1.1 as it is served, byte by byte: framing, errors, limits of size and of time, and sockets."""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]  # it ships none

from service.api.loop.connection import STATUS_LINES
from service.api.problems import PROBLEMS
from service.api.server import arguments
from service.cli.local_service import reserved_port
from service.log.valkey import ValkeyLog
from service.stores import api_keys
from service.supervisor import EmbeddedValkey
from tests.api.running import PATIENCE_S, ROOT, Answer, Line, Running, api
from tests.rules.heartrush.kit import opening as flat

SOCKETS = 300
OF_ADDRESS = 40
HEAD_S = 2
BODY_S = 3
POST = "POST /v1/encounters HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def running(valkey: EmbeddedValkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    directory: Path = tmp_path_factory.mktemp("api")
    bounds: dict[str, Any] = {
        "api_sockets": SOCKETS,
        "api_address_sockets": OF_ADDRESS,
        "head_s": HEAD_S,
        "body_s": BODY_S,
    }
    with api((valkey.url, valkey.queue_url), directory, **bounds) as running:
        yield running


@pytest.fixture(scope="module")
def key(valkey: EmbeddedValkey, running: Running) -> str:
    log = ValkeyLog.connect(valkey.url)
    token, _ = api_keys.create(log, "tests", time.time())
    log.close()
    assert running.ask().status == 200
    return f"Authorization: Bearer {token}\r\n"


def is_problem(answer: Answer, code: str) -> None:
    assert (answer.status, answer.data["type"]) == (PROBLEMS[code].status, f"/problems/{code}")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["request-id"] == answer.data["request_id"]
    assert ends_a_line(answer)


def ends_a_line(answer: Answer) -> bool:
    """Tell whether the body is one line with its end, so that a terminal shows the next one below it."""
    return answer.body.endswith(b"}\n") and answer.body.count(b"\n") == 1


REFUSED = {
    "no host": ("GET /livez HTTP/1.1\r\n\r\n", "bad-request"),
    "two hosts": ("GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "bad-request"),
    "two lengths": (POST + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "bad-request"),
    "lengths in one": (POST + "Content-Length: 2, 2\r\n\r\n{}", "bad-request"),
    "a signed length": (POST + "Content-Length: +2\r\n\r\n{}", "bad-request"),
    "length and chunks": (
        POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "bad-request",
    ),
    "chunked twice": (POST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "bad-request"),
    "chunks of HTTP/1.0": (
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "bad-request",
    ),
    "identity": (POST + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n", "coding-not-supported"),
    "compressed": (POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "coding-not-supported"),
    "an unknown coding": (POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "coding-not-supported"),
    "a folded line": ("GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", "bad-request"),
    "bare line feeds": ("GET /livez HTTP/1.1\nHost: x\n\n", "bad-request"),
    "a bare line feed in a field": ("GET /livez HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n", "bad-request"),
    "a bare carriage return": ("GET /livez HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n", "bad-request"),
    "a space before the colon": ("GET /livez HTTP/1.1\r\nHost : x\r\n\r\n", "bad-request"),
    "a field without a name": ("GET /livez HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", "bad-request"),
    "a NUL": ("GET /livez HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n", "bad-request"),
    "a space in the target": ("GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n", "bad-request"),
    "another protocol": ("GET /livez HTTP/2.0\r\nHost: x\r\n\r\n", "bad-request"),
    "a bad chunk": (POST + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n", "bad-request"),
    "a long target": (f"GET /{'a' * 9000} HTTP/1.1\r\nHost: x\r\n\r\n", "target-too-long"),
    "a long field": (f"GET /livez HTTP/1.1\r\nHost: x\r\nA: {'a' * 9000}\r\n\r\n", "fields-too-large"),
    "many fields": (
        "GET /livez HTTP/1.1\r\nHost: x\r\n" + "".join(f"A{i}: b\r\n" for i in range(101)) + "\r\n",
        "fields-too-large",
    ),
    "a large head": (
        "GET /livez HTTP/1.1\r\nHost: x\r\n" + f"A: {'a' * 8000}\r\n" * 5 + "\r\n",
        "fields-too-large",
    ),
    "a large head without an end": (
        "GET /livez HTTP/1.1\r\nHost: x\r\n" + f"A: {'a' * 8000}\r\n" * 5,
        "fields-too-large",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_two_readers_could_read_differently_is_refused_and_the_connection_closed(
    running: Running, name: str
) -> None:
    sent, code = REFUSED[name]
    line = running.line()
    line.send(sent)

    answer = line.answer()

    is_problem(answer, code)
    assert code not in ("target-too-long", "fields-too-large") or b"8,190 bytes" in answer.body
    assert answer.headers["connection"] == "close"
    assert line.has_ended()
    line.close()


def test_a_refused_request_has_nothing_of_it_taken_for_another(running: Running) -> None:
    """What follows two lengths is neither a body nor a request."""
    line = running.line()
    line.send(POST + "Content-Length: 0\r\nContent-Length: 40\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n")

    is_problem(line.answer(), "bad-request")

    assert line.sock.recv(1) == b""
    line.close()


def test_json_ends_with_a_newline(running: Running, key: str) -> None:
    """`is_problem` holds problems to it, those of the HTTP layer too."""
    for path in ("/livez", "/v1/rulesets", "/v1/encounters", "/v1/nowhere"):
        assert ends_a_line(running.ask(path, fields=key))


def test_one_connection_serves_many_requests(running: Running) -> None:
    line = running.line()

    answers = [line.ask() for _ in range(5)]

    assert [answer.status for answer in answers] == [200] * 5
    assert len({answer.headers["request-id"] for answer in answers}) == 5
    line.close()


def test_requests_sent_at_once_are_answered_in_order(running: Running) -> None:
    line = running.line()
    line.send("".join(f"GET /{path} HTTP/1.1\r\nHost: x\r\n\r\n" for path in ("livez", "none", "livez")))

    assert [line.answer().status for _ in range(3)] == [200, 404, 200]
    line.close()


def test_a_body_is_a_body_whatever_it_looks_like(running: Running, key: str) -> None:
    """A request inside a chunked body is no request."""
    inside = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    line = running.line()
    line.send(POST + key + f"Transfer-Encoding: chunked\r\n\r\n{len(inside):x}\r\n{inside}\r\n0\r\n\r\n")
    line.send("GET /none HTTP/1.1\r\nHost: x\r\n\r\n")

    is_problem(line.answer(), "not-strict-json")
    is_problem(line.answer(), "not-found")
    line.close()


def test_the_head_alone_is_answered_without_a_body(running: Running) -> None:
    line = running.line()

    head = line.ask(method="HEAD")

    assert (head.status, int(head.headers["content-length"])) == (200, len(line.ask().body))
    line.close()


def test_a_client_is_told_to_go_on_once_it_is_let_in(running: Running, key: str) -> None:
    line = running.line()
    line.send(POST + key + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert line.answer().status == 100
    line.send("{}")
    is_problem(line.answer(), "invalid")
    line.close()


def test_a_client_that_is_not_let_in_is_not_told_to_go_on(running: Running) -> None:
    line = running.line()
    line.send(POST + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    is_problem(line.answer(), "unauthenticated")
    assert line.has_ended()
    line.close()


def test_a_body_declared_too_large_is_refused_before_it_is_read(running: Running, key: str) -> None:
    line = running.line()
    line.send(POST + key + "Content-Length: 5000000000\r\n\r\n0123456789")

    is_problem(line.answer(), "body-too-large")
    assert line.has_ended()
    line.close()


def test_a_body_that_grows_too_large_is_refused(running: Running, key: str) -> None:
    line = running.line()
    line.send(POST + key + "Transfer-Encoding: chunked\r\n\r\n")
    line.send(("10000\r\n" + "x" * 65536 + "\r\n") * 17)

    is_problem(line.answer(), "body-too-large")
    line.close()


def test_a_client_that_closes_its_half_is_answered(running: Running) -> None:
    line = running.line()
    line.send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
    line.sock.shutdown(1)

    assert line.answer().status in {200, 503}
    line.close()


def test_a_target_may_be_absolute(running: Running) -> None:
    assert running.ask("http://x/livez").status == 200
    assert running.ask("http://x").status == 200
    assert running.ask("http://x/none").status == 404


def test_a_websocket_is_refused(running: Running) -> None:
    fields = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    )

    is_problem(running.ask("/livez", fields=fields), "bad-request")


@pytest.mark.parametrize("piece", ["", "G", "A: b\r\n"])
def test_a_head_has_so_long_to_arrive_in_all(running: Running, piece: str) -> None:
    """A piece in each second would make each wait a short one."""
    line = running.line()
    began = time.monotonic()
    if piece:
        line.send("GET /livez HTTP/1.1\r\nHost: x\r\nB: ")
    line.sock.settimeout(0.25)
    said = b""
    while time.monotonic() < began + 30:
        try:
            if piece:
                line.send(piece)
            more = line.sock.recv(65536)
            if not more:
                break
            said += more
        except TimeoutError:
            continue
        except ConnectionError:
            break
    took = time.monotonic() - began

    assert HEAD_S * 0.9 <= took < 25
    assert said.startswith(b"HTTP/1.1 408 Request Timeout") if piece else said == b""
    line.close()


def test_a_body_has_so_long_to_arrive_in_all(running: Running, key: str) -> None:
    line = running.line()
    began = time.monotonic()
    line.send(POST + key + "Content-Length: 1000\r\n\r\n{")
    line.sock.settimeout(0.25)
    said = b""
    while time.monotonic() < began + 30:
        try:
            line.send(" ")
            said += line.sock.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:
            break
        if said:
            break

    assert BODY_S * 0.9 <= time.monotonic() - began < 25
    assert said.startswith(b"HTTP/1.1 408 Request Timeout")
    assert b"/problems/request-timeout" in said
    line.close()


def test_reasons_are_those_of_the_registry(running: Running, key: str) -> None:
    assert running.ask("/v1/encounters/none", fields=key).reason == "Not Found"
    line = running.line()
    line.send(f"{POST}{key}Content-Length: 2\r\n\r\n[]")
    assert line.answer().reason.startswith("Unprocessable")
    opening = json.dumps({"edition": "heartrush@1", **flat({"pia": (0, 0), "orc": (1, 0)})})
    line.send(f"{POST}{key}Prefer: respond-async\r\nContent-Length: {len(opening)}\r\n\r\n{opening}")
    at = line.answer().headers["location"]
    stale = line.ask(at, "DELETE", f'{key}If-Match: "9"\r\n')
    assert (stale.status, stale.reason) == (412, "Precondition Failed")
    line.close()


def test_every_status_of_the_registry_has_its_reason() -> None:
    for minor, lines in enumerate(STATUS_LINES):
        for status in HTTPStatus:
            assert lines[status] == f"HTTP/1.{minor} {status.value} {status.phrase}\r\n"


def test_a_process_whose_application_does_not_start_ends_and_says_why() -> None:
    """The master ends with it: nothing listens on a port behind which nobody serves."""
    with reserved_port("127.0.0.1") as port:
        command = arguments("127.0.0.1", port, workers=1, log_level="error")[:-1]
        ended = subprocess.run(
            [sys.executable, "-m", "gunicorn", *command, "tests.api.unstartable:Unstartable()"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    assert ended.returncode == Arbiter.WORKER_BOOT_ERROR, ended.stderr
    assert "The application does not start" in ended.stderr
    assert "no listener for outcomes" in ended.stderr


def test_silent_and_dripping_sockets_of_one_address_hold_up_nobody(running: Running) -> None:
    """They are more than the process holds; their own address has a share, the others their answers."""
    crowd = []
    for number in range(SOCKETS):
        line = running.line("127.0.0.2")
        if number % 2:
            line.sock.sendall(b"GET /livez HTTP/1.1\r\nHost")
        crowd.append(line)

    began = time.monotonic()
    answers = [running.ask().status for _ in range(20)]
    took = time.monotonic() - began
    crowd.append(running.line("127.0.0.2"))
    from_there = crowd[-1].ask()

    assert answers == [200] * 20
    assert took < HEAD_S, "nobody waited until the others had been closed"
    assert from_there.status == 200
    for line in crowd:
        line.close()


def test_the_connection_that_waited_longest_gives_way(running: Running) -> None:
    crowd = [running.line("127.0.0.3") for _ in range(OF_ADDRESS)]
    for line in crowd:
        assert line.ask().status == 200

    late = running.line("127.0.0.3")

    assert late.ask().status == 200
    readable, _, _ = select.select([line.sock for line in crowd], [], [], 5)
    assert readable == [crowd[0].sock], "the one that waited longest"
    assert _is_closed(crowd[0])
    readable, _, _ = select.select([line.sock for line in crowd[1:]], [], [], 0.5)
    assert readable == [], "no other one"
    for line in (*crowd, late):
        line.close()


def _is_closed(line: Line) -> bool:
    line.sock.settimeout(0.2)
    try:
        return line.sock.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True

"""Where each request begins and ends, whatever the pieces in which it arrives."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from service.api.loop.framing import HEAD_BYTES, LINE_BYTES, HttpFault, RequestReader

GET = b"GET /livez HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /v1/encounters HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
NEXT = b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass(frozen=True)
class Read:
    """A request that was read."""

    method: str
    target: str
    fields: dict[str, str]
    body: bytes
    has_kept_alive: bool


def read(sent: bytes, size: int | None = None) -> tuple[list[Read], int, bool]:
    """Return the requests in *sent*, in pieces of *size* bytes, a fault's status, and if more is due."""
    reader, found = RequestReader(), []
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)] if size else [sent]
    try:
        for piece in pieces:
            reader.feed(piece)
            while reader.is_whole and reader.head is not None:
                head = reader.head
                found.append(
                    Read(head.method, head.target, dict(head.fields), reader.body(), head.has_kept_alive)
                )
                if not head.has_kept_alive:
                    return found, 0, False
                reader.go_on()
    except HttpFault as fault:
        return found, fault.status, False
    return found, 0, reader.has_begun


SOUND = {
    "no body": GET + b"\r\n",
    "an empty line before it": b"\r\n" + GET + b"\r\n",
    "spaces around a value": GET + b"A: \t b c \t\r\n\r\n",
    "an empty value": GET + b"A:\r\n\r\n",
    "bytes beyond ASCII in a value": GET + b"A: \xe9\r\n\r\n",
    "a repeated field": GET + b"A: b\r\nA: c\r\n\r\n",
    "a length": POST + b"Content-Length: 4\r\n\r\n{\r\n}",
    "a length of zero": POST + b"Content-Length: 0\r\n\r\n",
    "a body that looks like a head": POST + b"Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT,
    "a body of a GET": GET + b"Content-Length: 2\r\n\r\n{}",
    "chunks": CHUNKED + b"2\r\n{}\r\n1\r\n \r\n0\r\n\r\n",
    "chunks of line ends": CHUNKED + b"8\r\n\r\n\r\n\r\n\r\n\r\n2\r\n\r\n\r\n0\r\n\r\n",
    "a chunk that looks like a head": CHUNKED + b"%x\r\n%b\r\n0\r\n\r\n" % (len(NEXT), NEXT),
    "an extension of a chunk": CHUNKED + b"2;a=b\r\n{}\r\n0;c\r\n\r\n",
    "a trailer": CHUNKED + b"2\r\n{}\r\n0\r\nA: b\r\n\r\n",
    "an upgrade": GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    "an upgrade with a length": POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
    "an upgrade with no bytes": POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n",
    "an upgrade with chunks": POST
    + b"Upgrade: h2c\r\nConnection: Upgrade\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "HTTP/1.0 that keeps alive": b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "an unknown method": b"BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n",
    "an absolute target": b"GET http://x/livez HTTP/1.1\r\nHost: x\r\n\r\n",
    "the server as a target": b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
}
SIZES = (None, 1, 2, 3, 5, 7, 11, 64)


@pytest.mark.parametrize("name", SOUND)
def test_a_request_ends_where_it_ends_and_the_next_one_begins_there(name: str) -> None:
    whole, fault, _ = read(SOUND[name])
    assert (len(whole), fault) == (1, 0)
    for size in SIZES:
        found, fault, is_due = read(SOUND[name] + NEXT, size)
        assert (found[:1], fault, is_due) == (whole, 0, False)
        assert [(each.method, each.target, each.body) for each in found[1:]] == [("GET", "/next", b"")]


def test_requests_in_any_pieces_are_the_same_requests() -> None:
    chance = random.Random(7)
    names = [name for name in SOUND if name != "an empty line before it"]
    for _ in range(200):
        sent = b"".join(SOUND[chance.choice(names)] for _ in range(4))
        assert read(sent, chance.randrange(1, 80)) == read(sent)


def test_bodies_and_fields_are_those_that_were_sent() -> None:
    [found], _, _ = read(SOUND["chunks"])
    assert found.body == b"{} "
    [found], _, _ = read(SOUND["an upgrade with chunks"], 1)
    assert found.body == b"{}"
    [found], _, _ = read(SOUND["a repeated field"])
    assert found.fields == {"host": "x", "a": "b,c"}
    [found], _, _ = read(SOUND["spaces around a value"])
    assert found.fields["a"] == "b c"
    [found], _, _ = read(SOUND["a trailer"])
    assert "a" not in found.fields
    [found], _, _ = read(GET + b"X_Forwarded_For: 10.0.0.1\r\n\r\n")
    assert list(found.fields) == ["host"]


@pytest.mark.parametrize(
    "sent",
    [
        GET + b"Connection: close\r\n\r\n",
        GET + b"Connection: keep-alive, Close\r\n\r\n",
        b"GET /livez HTTP/1.0\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_nothing_is_read_behind_the_last_request_of_a_connection(sent: bytes) -> None:
    for size in SIZES:
        found, fault, _ = read(sent + NEXT, size)
        assert (len(found), found[0].has_kept_alive, fault) == (1, False, 0)


REFUSED = {
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (GET + b"Host: y\r\n\r\n", 400),
    "two media types": (POST + b"Content-Type: a/b\r\nContent-Type: a/c\r\n\r\n", 400),
    "two lengths": (POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    "two lengths in one field": (POST + b"Content-Length: 2, 2\r\n\r\n{}", 400),
    "an empty length": (POST + b"Content-Length:\r\n\r\n", 400),
    "a length with a sign": (POST + b"Content-Length: +2\r\n\r\n{}", 400),
    "a length that is none": (POST + b"Content-Length: 0x2\r\n\r\n{}", 400),
    "a length past every number": (POST + b"Content-Length: 99999999999999999999\r\n\r\n", 400),
    "a length, then chunks": (
        POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    "chunks, then a length": (
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        400,
    ),
    "chunked twice": (POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
    "chunked in two fields": (
        POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    "no coding": (POST + b"Transfer-Encoding:\r\n\r\n0\r\n\r\n", 400),
    "chunks of HTTP/1.0": (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "a coding that ends otherwise": (POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400),
    "a coding before chunked": (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "a coding with a parameter": (POST + b"Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n", 501),
    "an unknown coding": (POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
    "identity": (POST + b"Transfer-Encoding: identity\r\n\r\n", 501),
    "a coding past a control": (POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400),
    "a coding named with a space": (POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
    "a folded coding": (POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400),
    "a folded line": (GET + b"A: b\r\n c\r\n\r\n", 400),
    "a line of spaces": (GET + b" \r\n\r\n", 400),
    "bare line feeds": (b"GET / HTTP/1.1\nHost: x\n\n", 400),
    "a bare line feed in a field": (GET + b"A: b\nC: d\r\n\r\n", 400),
    "a bare line feed at the end": (GET + b"A: b\r\n\n", 400),
    "a bare carriage return": (GET + b"A: b\rC: d\r\n\r\n", 400),
    "a bare carriage return in the line": (b"GET /\r HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "two empty lines before it": (b"\r\n\r\n" + GET + b"\r\n", 400),
    "a space before it": (b" " + GET + b"\r\n", 400),
    "a field without a name": (GET + b": y\r\n\r\n", 400),
    "a field without a colon": (GET + b"A\r\n\r\n", 400),
    "a name that is no token": (GET + b"A(b: c\r\n\r\n", 400),
    "a NUL": (GET + b"A: \x00\r\n\r\n", 400),
    "a DEL": (GET + b"A: \x7f\r\n\r\n", 400),
    "two spaces": (b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a tab": (b"GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a space in the target": (b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a space behind the version": (b"GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400),
    "a target beyond ASCII": (b"GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a target without a slash": (b"GET livez HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "the server as the target of a GET": (b"GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "HTTP/0.9": (b"GET /\r\n\r\n", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "HTTP/1.2": (b"GET / HTTP/1.2\r\nHost: x\r\n\r\n", 400),
    "RTSP": (b"GET / RTSP/1.0\r\nHost: x\r\n\r\n", 400),
    "another spelling": (b"GET / http/1.1\r\nHost: x\r\n\r\n", 400),
    "a small method": (b"get / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a chunk's size that is none": (CHUNKED + b"xyz\r\n{}\r\n0\r\n\r\n", 400),
    "a chunk's size with a prefix": (CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n", 400),
    "a chunk's size below zero": (CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n", 400),
    "a chunk's size past every number": (CHUNKED + b"fffffffffffffffff\r\n{}\r\n0\r\n\r\n", 400),
    "an empty size of a chunk": (CHUNKED + b"\r\n{}\r\n0\r\n\r\n", 400),
    "a space behind a chunk's size": (CHUNKED + b"2 \r\n{}\r\n0\r\n\r\n", 400),
    "a chunk's size that ends in a line feed": (CHUNKED + b"2\n{}\r\n0\r\n\r\n", 400),
    "a chunk longer than its size": (CHUNKED + b"2\r\n{}}\r\n0\r\n\r\n", 400),
    "a chunk that ends in a line feed": (CHUNKED + b"2\r\n{}\n0\r\n\r\n", 400),
    "a NUL in an extension": (CHUNKED + b"2;a\x00\r\n{}\r\n0\r\n\r\n", 400),
    "a line feed in an extension": (CHUNKED + b"2;a\n{}\r\n0\r\n\r\n", 400),
    "a length behind the body": (CHUNKED + b"2\r\n{}\r\n0\r\nContent-Length: 3\r\n\r\n", 400),
    "a coding behind the body": (CHUNKED + b"2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    "a host behind the body": (CHUNKED + b"2\r\n{}\r\n0\r\nHost: y\r\n\r\n", 400),
    "a credential behind the body": (CHUNKED + b"2\r\n{}\r\n0\r\nAuthorization: y\r\n\r\n", 400),
    "a folded trailer": (CHUNKED + b"2\r\n{}\r\n0\r\nA: b\r\n c\r\n\r\n", 400),
    "an upgrade with two lengths": (
        POST + b"Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        400,
    ),
    "a long target": (b"GET /" + b"a" * LINE_BYTES + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    "a long target without an end": (b"GET /" + b"a" * LINE_BYTES, 414),
    "a long field": (GET + b"A: " + b"a" * LINE_BYTES + b"\r\n\r\n", 431),
    "many fields": (GET + b"A: b\r\n" * 100 + b"\r\n", 431),
    "a large head": (GET + (b"A: " + b"a" * 8000 + b"\r\n") * 5 + b"\r\n", 431),
    "a large head without an end": (GET + b"A: " + b"a" * HEAD_BYTES, 431),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_two_readers_could_read_differently_is_no_request(name: str) -> None:
    sent, status = REFUSED[name]
    for size in SIZES:
        found, fault, _ = read(sent + NEXT if status == 400 else sent, size)
        assert (found, fault) == ([], status), f"in pieces of {size}"


@pytest.mark.parametrize("name", SOUND)
def test_a_request_without_its_last_byte_is_not_whole(name: str) -> None:
    for size in SIZES:
        assert read(SOUND[name][:-1], size) == ([], 0, True)


@pytest.mark.parametrize(
    "sent",
    [
        CHUNKED + b"2;a=" + b"b" * HEAD_BYTES,
        CHUNKED + b"2\r\n{}\r\n0\r\nA: " + b"b" * HEAD_BYTES,
        CHUNKED + b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 6000,
    ],
)
def test_what_frames_a_body_has_a_limit_too(sent: bytes) -> None:
    for size in (7, 1000, 4096):
        assert read(sent + b"b" * size, size) == ([], 431, False)


def test_the_longest_line_and_the_longest_field_are_read() -> None:
    line = b"GET /" + b"a" * (LINE_BYTES - 14) + b" HTTP/1.1\r\n"
    field = b"A: " + b"a" * (LINE_BYTES - 5) + b"\r\n"
    assert (len(line), len(field)) == (LINE_BYTES + 2, LINE_BYTES)
    for size in (None, 1000):
        found, fault, _ = read(line + b"Host: x\r\n" + field + b"\r\n", size)
        assert (len(found), fault) == (1, 0)


def test_what_waits_behind_a_request_is_not_parsed_before_its_turn() -> None:
    reader = RequestReader()
    reader.feed(GET + b"\r\n" + b"no request\r\n\r\n")
    assert reader.is_whole
    assert reader.waiting_bytes == len(b"no request\r\n\r\n")
    with pytest.raises(HttpFault):
        reader.go_on()

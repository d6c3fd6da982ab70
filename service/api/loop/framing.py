"""Frame the requests of one connection: where each begins and ends, its head, its body. No input or output.

The request line is read here; header fields and bodies by llhttp, through httptools. llhttp is strict: it
accepts no bare line feed, no folded line, no second length, and no length beside chunks. It is given one
request at a time and nothing behind its end, so that nobody's next request is parsed before its turn.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserUpgrade,
    HttpRequestParser,
)

LINE_BYTES: Final = 8190
"""The maximum size, in bytes, of a request line, and of a header field."""

HEAD_BYTES: Final = 32 * 1024
"""The maximum size, in bytes, of a request line and header fields together, and of what frames a body."""

FIELDS: Final = 100
"""The maximum number of header fields."""

_END: Final = b"\r\n\r\n"
"""How every head ends, and every body in chunks."""

_LINE: Final = re.compile(rb"([!$%&'*+\-.^_`|~0-9A-Z]{3,20}) ([\x21-\x7e]+) HTTP/1\.([01])\r\n")
_PARSED_LINE: Final = {b"1": b"POST / HTTP/1.1\r\n", b"0": b"POST / HTTP/1.0\r\n"}
"""The request line that llhttp gets, by minor version; a body is framed alike whatever the method is."""

_SINGLE: Final = frozenset(("host", "content-type"))
"""Fields that a request has once (RFC 9110, 5.3); llhttp holds `Content-Length` to it."""

_NOT_IN_TRAILERS: Final = frozenset(
    ("host", "content-length", "transfer-encoding", "trailer", "authorization", "te")
)
"""Fields that may not follow a body (RFC 9110, 6.5.1)."""

_IGNORED: Final = ""
"""The key of a field that is ignored."""

_BAD: Final = 400
_LONG_TARGET: Final = 414
_LARGE_FIELDS: Final = 431
_UNKNOWN_CODING: Final = 501


class HttpFault(Exception):
    """What was sent is no request, or a larger one than is served; it is answered with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


Fields = dict[str, str]
"""Header fields by lower-case name."""


class Received:
    """The head of one request."""

    __slots__ = ("fields", "has_kept_alive", "is_continued", "method", "minor_version", "target")

    def __init__(self, method: str, target: str, minor_version: int) -> None:
        self.method = method
        self.target = target
        self.minor_version = minor_version
        """Of HTTP/1: 0 or 1."""
        self.fields = Fields()
        """Values of a repeated name are joined by commas."""
        self.has_kept_alive = True
        """Whether the client may send another request on the connection."""
        self.is_continued = False
        """Whether the client sends the body when it has been told to go on."""


class RequestReader:
    """The requests of one connection, one at a time."""

    __slots__ = (
        "_body",
        "_fault",
        "_framing",
        "_is_upgrade",
        "_left",
        "_parser",
        "_raw",
        "_rest",
        "_seen",
        "_tail",
        "body_size",
        "head",
        "is_whole",
    )

    def __init__(self) -> None:
        self._parser: Any = HttpRequestParser(self)
        self._rest = b""
        """What came of an unfinished request line, or behind the request."""
        self._is_upgrade = False
        self._begin()

    def _begin(self) -> None:
        self.head: Received | None = None
        """The head of the request, once it is whole and sound."""
        self.is_whole = False
        """Whether the whole request has been read."""
        self.body_size = 0
        self._body: list[bytes] = []
        self._seen: Received | None = None
        self._fault = 0
        self._raw: list[tuple[bytes, bytes]] = []
        self._framing = 0
        self._left = 0
        self._tail = b""

    @property
    def has_begun(self) -> bool:
        """Whether a part of a request has come that is not whole yet."""
        return not self.is_whole and (self._seen is not None or bool(self._rest))

    @property
    def waiting_bytes(self) -> int:
        """The bytes that are kept for an application that has not taken them."""
        return self.body_size + len(self._rest)

    def feed(self, data: bytes) -> None:
        """Read *data* up to the end of the request, and keep the rest; raises `HttpFault`."""
        if self._rest:
            data = self._rest + data
            self._rest = b""
        if self.is_whole:
            self._rest = data
            return
        if self._seen is None:
            data = self._read_line(data)
            if not data:
                return
        start, size = 0, len(data)
        while start < size and not self.is_whole:
            end = self._end(data, start)
            self._parse(data if end - start == size else data[start:end])
            start = end
        self._rest = data[start:]

    def body(self) -> bytes:
        """Return what has come of the body, and keep it no longer."""
        parts, self._body = self._body, []
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def go_on(self) -> None:
        """Begin to read the next request, of which a part may be there; raises `HttpFault`."""
        if self._is_upgrade:
            self._parser = HttpRequestParser(self)
            self._is_upgrade = False
        self._begin()
        if self._rest:
            self.feed(b"")

    def close(self) -> None:
        """Let the parser go, which refers to this reader, and what has come of a body."""
        self._parser = None
        self._body, self._rest = [], b""

    def _read_line(self, data: bytes) -> bytes:
        """Read the request line; return what llhttp gets, nothing if the line is not whole."""
        begin = 2 if data[:2] == b"\r\n" else 0  # RFC 9112, 2.2: an empty line before it is ignored
        end = data.find(b"\n", begin)
        if (end if end >= 0 else len(data)) - begin > LINE_BYTES + 1:
            raise HttpFault(_LONG_TARGET)
        if end < 0:
            self._rest = data
            return b""
        found = _LINE.match(data, begin)
        if found is None:
            raise HttpFault(_BAD)
        method, target, version = found.groups()
        if target[0] != ord("/") and not (
            method == b"CONNECT" or (method == b"OPTIONS" if target == b"*" else b"://" in target)
        ):
            raise HttpFault(_BAD)
        self._seen = Received(method.decode("ascii"), target.decode("ascii"), int(version))
        self._framing = end + 1 - len(_PARSED_LINE[version])
        return _PARSED_LINE[version] + data[end + 1 :]

    def _end(self, data: bytes, start: int) -> int:
        """Return how far *data* may be parsed from *start* on without the next request."""
        size = len(data)
        if self._left:
            end = min(size, start + self._left)
            self._left -= end - start
            return end
        tail = self._tail
        if tail and (at := (tail + data[start : start + 3]).find(_END)) >= 0:
            end = start + at + 4 - len(tail)
        else:
            at = data.find(_END, start)
            end = size if at < 0 else at + 4
        self._tail = (tail + data[max(start, end - 3) : end])[-3:] if at < 0 else b""
        self._framing += end - start
        if self.head is None and self._framing > HEAD_BYTES:
            raise HttpFault(_LARGE_FIELDS)
        return end

    def _parse(self, piece: bytes) -> None:
        try:
            self._parser.feed_data(piece)
        except HttpParserUpgrade:
            self._read_on_as_http()
        except HttpParserCallbackError as fault:
            raise (fault.__context__ or fault) from None
        except HttpParserError:
            raise HttpFault(self._fault or _BAD) from None
        if self._fault:
            raise HttpFault(self._fault)
        if self._framing > HEAD_BYTES:
            raise HttpFault(_LARGE_FIELDS)

    def _read_on_as_http(self) -> None:
        """Read the body of a request that asks for another protocol, for llhttp takes it for one of that."""
        fields = self.head.fields if self.head is not None else Fields()
        framing = next((name for name in ("content-length", "transfer-encoding") if name in fields), None)
        if framing is None:
            self.is_whole = True
            return
        self._parser = HttpRequestParser(_BodyOf(self))
        self._parser.feed_data(f"POST / HTTP/1.1\r\n{framing}: {fields[framing]}\r\n\r\n".encode("latin-1"))

    # --- from the parser ------------------------------------------------------------------------------

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a field, of the head or behind a body in chunks."""
        self._raw.append((name, value))

    def on_headers_complete(self) -> None:
        """Check the head before any code of the application runs."""
        seen = self._seen
        if self.head is not None or seen is None:  # no head was asked for
            self._fault = _BAD
            return
        self._fault = self._keep_fields(seen.fields) or _fault_of(seen)
        if self._fault:
            return
        fields = seen.fields
        if "content-length" in fields:
            self._left = int(fields["content-length"])
        if "expect" in fields and seen.minor_version:
            seen.is_continued = fields["expect"].lower() == "100-continue"
        if "upgrade" in fields:
            self._is_upgrade = self._parser.should_upgrade()
        seen.has_kept_alive = self._parser.should_keep_alive() and seen.method != "CONNECT"
        self._framing = 0
        self.head = seen

    def _keep_fields(self, fields: Fields) -> int:
        """Put the fields of the head into *fields*; return the status that answers them, 0 if none."""
        raw = self._raw
        if len(raw) > FIELDS or (
            self._framing > LINE_BYTES and any(len(name) + len(value) + 4 > LINE_BYTES for name, value in raw)
        ):
            return _LARGE_FIELDS
        fault = 0
        for name, value in raw:
            key = _key(name)
            text = value.decode("latin-1").rstrip(" \t")
            if key in fields:
                if key in _SINGLE:
                    fault = _BAD
                text = f"{fields[key]},{text}"
            fields[key] = text
        fields.pop(_IGNORED, None)
        raw.clear()
        return fault

    def on_body(self, part: bytes) -> None:
        """Keep a part of the body."""
        self._framing = 0
        self.body_size += len(part)
        self._body.append(part)

    def on_message_complete(self) -> None:
        """Note that the request is whole."""
        if not self._is_upgrade:
            self.end()

    def end(self) -> None:
        """Note that the request is whole, and ignore the fields behind a body in chunks."""
        self.is_whole = True
        if (
            self._raw
            and self.head is not None
            and any(_key(name) in _NOT_IN_TRAILERS for name, _ in self._raw)
        ):
            self._fault = _BAD


class _BodyOf:
    """Hands on the body of a request whose head has been read."""

    def __init__(self, reader: RequestReader) -> None:
        self.on_body = reader.on_body
        self.on_message_complete = reader.end


def _fault_of(seen: Received) -> int:
    """Return the status that answers a head whose framing is unsound, 0 if it is sound."""
    fields = seen.fields
    if "transfer-encoding" in fields:
        if fields["transfer-encoding"].lower() != "chunked":
            return _UNKNOWN_CODING
        if not seen.minor_version:
            return _BAD
    return _BAD if seen.minor_version and "host" not in fields else 0


@lru_cache(maxsize=256)
def _key(name: bytes) -> str:
    """Return the key of the field *name*; one with a `_` is ignored, for Flask would take it for a `-`."""
    return _IGNORED if b"_" in name else name.decode("latin-1").lower()

"""Serve a bucket as S3 does, in memory: PUT, GET, HEAD, DELETE and List (version 2), signatures checked.

The signature is calculated again from what came (AWS Signature Version 4), so a client that signs wrongly, or
with another secret, is refused. `fault` makes every request fail in a way of its own.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

ACCESS: Final = "rewound"
SECRET: Final = "a secret of the bucket's"
REGION: Final = "eu-central-2"
BUCKET: Final = "cold-encounters"
_XML: Final = {"Content-Type": "application/xml"}
PAGE: Final = 3
"""How many names a page of a list has: few, so that lists have pages."""

_AUTHORIZATION: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
    r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})"
)


class S3Stub:
    """One bucket, and the server that serves it."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        """Method and key of each request that was let in."""
        self.fault = ""
        """`status`: 503; `cut`: half a body; `hang_up`: no answer at all."""
        self.lock = Lock()
        self._server = _Server(self)

    @property
    def endpoint(self) -> str:
        """Return the address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        """Serve in a thread."""
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """End, so that connections are refused, those too that are open."""
        self.fault = "hang_up"
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def s3_stub() -> Iterator[S3Stub]:
    """Give a bucket that is served."""
    stub = S3Stub()
    stub.start()
    try:
        yield stub
    finally:
        stub.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, stub: S3Stub) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.stub = stub


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    _answers: ClassVar = {"NoSuchKey": 404, "NoSuchBucket": 404, "SignatureDoesNotMatch": 403}

    def do_PUT(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        key = self._key(raw)
        if key is not None:
            with self.server.stub.lock:
                self.server.stub.files[key] = raw
            self._answer(200, b"", ETag=f'"{md5(raw, usedforsecurity=False).hexdigest()}"')

    def do_GET(self) -> None:
        key = self._key(b"")
        if key == "":
            self._list()
        elif key is not None:
            self._file(key)

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def do_DELETE(self) -> None:
        key = self._key(b"")
        if key is not None:
            with self.server.stub.lock:
                self.server.stub.files.pop(key, None)
            self._answer(204, b"")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _file(self, key: str) -> None:
        raw = self.server.stub.files.get(key)
        if raw is None:
            self._refuse("NoSuchKey")
        else:
            etag = md5(raw, usedforsecurity=False).hexdigest()
            self._answer(200, raw, ETag=f'"{etag}"', **{"Last-Modified": "Sun, 22 Nov 2026 22:00:00 GMT"})

    def _list(self) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        assert query["list-type"] == "2"
        after = query.get("continuation-token", "")
        names = [each for each in sorted(self.server.stub.files) if each.startswith(query.get("prefix", ""))]
        left = [name for name in names if name > after]
        items = "".join(
            f"<Contents><Key>{escape(name)}</Key><Size>{len(self.server.stub.files[name])}</Size>"
            "<LastModified>2026-11-22T22:00:00.000Z</LastModified><ETag>&quot;0&quot;</ETag></Contents>"
            for name in left[:PAGE]
        )
        more = len(left) > PAGE
        token = f"<NextContinuationToken>{escape(left[PAGE - 1])}</NextContinuationToken>" if more else ""
        self._answer(
            200,
            f"<ListBucketResult><Name>{BUCKET}</Name><IsTruncated>{str(more).lower()}</IsTruncated>{token}{items}"
            "</ListBucketResult>".encode(),
            **_XML,
        )

    def _key(self, body: bytes) -> str | None:
        """Return the key that is asked for, empty for the bucket; None once the request was refused."""
        stub = self.server.stub
        if stub.fault == "hang_up":
            self.close_connection = True
            return None
        if stub.fault == "status":
            self._refuse("SlowDown", 503)
            return None
        fault = self._signature_fault(body)
        if fault:
            self._refuse(fault, 403)
            return None
        bucket, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        if bucket != BUCKET:
            self._refuse("NoSuchBucket")
            return None
        with stub.lock:
            stub.asked.append(f"{self.command} {key}")
        return key

    def _signature_fault(self, body: bytes) -> str:
        found = _AUTHORIZATION.fullmatch(self.headers.get("Authorization", ""))
        if found is None or found[1] != ACCESS or found[3] != REGION:
            return "AccessDenied"
        digest = sha256(body).hexdigest()
        if self.headers["x-amz-content-sha256"] != digest:
            return "XAmzContentSHA256Mismatch"
        path, _, query = self.path.partition("?")
        signed = "".join(f"{name}:{self.headers[name].strip()}\n" for name in found[4].split(";"))
        listed = "&".join(sorted(query.split("&"))) if query else ""
        asked = "\n".join((self.command, path, listed, signed, found[4], digest))
        scope = f"{found[2]}/{REGION}/s3/aws4_request"
        result = "\n".join(
            ("AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope, sha256(asked.encode()).hexdigest())
        )
        key = f"AWS4{SECRET}".encode()
        for part in (*scope.split("/"), result):
            key = hmac.digest(key, part.encode(), "sha256")
        return "" if key.hex() == found[5] else "SignatureDoesNotMatch"

    def _refuse(self, code: str, status: int | None = None) -> None:
        body = f"<Error><Code>{code}</Code><Message>planted</Message></Error>".encode()
        self._answer(status or self._answers[code], body, **_XML)

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.server.stub.fault == "cut" and self.command == "GET":
            self.close_connection = True
            body = body[: len(body) // 2]
        self.wfile.write(body)

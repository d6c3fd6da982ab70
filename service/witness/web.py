"""Serve a witness over HTTP: `POST /add-checkpoint`, and `GET /` for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, Final

from service.witness.cosigner import MOST_BYTES, Answer, Witness

ADD: Final = "/add-checkpoint"

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]


def application(witness: Witness) -> Application:
    """Return the WSGI application of *witness*."""

    def answer(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        found = _answered(witness, environ)
        raw = found.text.encode()
        status = HTTPStatus(found.status)
        headers = [
            ("Content-Type", found.media_type),
            ("Content-Length", str(len(raw))),
            ("Cache-Control", "no-store"),
        ]
        if found.status == HTTPStatus.METHOD_NOT_ALLOWED:
            headers.append(("Allow", "POST" if environ.get("PATH_INFO") == ADD else "GET"))
        start_response(f"{status.value} {status.phrase}", headers)
        return [raw]

    return answer


def _answered(witness: Witness, environ: dict[str, Any]) -> Answer:
    path, method = environ.get("PATH_INFO", "/"), environ["REQUEST_METHOD"]
    if path not in {"/", ADD}:
        return Answer(404, "there is /add-checkpoint, and /\n")
    if method != ("POST" if path == ADD else "GET"):
        return Answer(405, "POST /add-checkpoint, GET /\n")
    if path == "/":
        return witness.report()
    length = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdecimal()):
        return Answer(411, "the length is missing\n")
    if int(length) > MOST_BYTES:
        return Answer(413, f"more than {MOST_BYTES} bytes\n")
    return witness.add_checkpoint(environ["wsgi.input"].read(int(length)))

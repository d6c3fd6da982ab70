"""Call the API in this process with as little around it as WSGI allows: thousands of answers are compared.

No answer is held to the contract here; `client.py` does that in every other test.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

from werkzeug.datastructures import Headers

from tests.api.client import Api


class Quick(Api):
    """A client that is given what the application answers, and no more."""

    def with_token(self, token: str) -> Quick:
        return Quick(self.app, token)

    def __call__(self, method: str, target: str, data: object = None, /, **headers: str) -> Any:
        body = b"" if data is None else json.dumps(data).encode()
        path, _, query = target.partition("?")
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_AUTHORIZATION": f"Bearer {self.token}",
            "CONTENT_TYPE": "application/json" if body else "",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": BytesIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
        }
        return Answer(self.app.wsgi_app, environ)

    def get(self, target: str, **headers: str) -> Any:
        answer = self("GET", target, **headers)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.text)


class Answer:
    """One answer: read whole when its text is asked for, or piece by piece."""

    def __init__(self, app: Callable[..., Any], environ: dict[str, Any]) -> None:
        self._pieces = app(environ, self._start)
        self._data: bytes | None = None

    def _start(self, status: str, headers: list[tuple[str, str]], _: object = None) -> None:
        self.status_code = int(status.partition(" ")[0])
        self.headers = Headers(headers)

    def iter_encoded(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def close(self) -> None:
        if hasattr(self._pieces, "close"):
            self._pieces.close()

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = b"".join(self._pieces)
            self.close()
        return self._data

    @property
    def text(self) -> str:
        return self.data.decode()

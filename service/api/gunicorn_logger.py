"""Have gunicorn write JSON lines, also before the application is loaded and where it cannot be."""

from __future__ import annotations

import logging
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]  # it ships none

from service.logs import json_handler


class JsonLogger(Logger):  # type: ignore[misc]  # gunicorn is untyped
    """Gunicorn's own logger with another format; named by the setting `logger_class`."""

    def _set_handler(self, log: logging.Logger, output: str | None, fmt: object, stream: Any = None) -> None:
        super()._set_handler(log, output, fmt, stream)
        for handler in log.handlers:
            handler.setFormatter(json_handler().formatter)

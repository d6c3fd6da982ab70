"""Make gunicorn log JSON lines, even if the application is not loaded yet or cannot be loaded."""

from __future__ import annotations

import logging
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]  # it ships none

from service.logs import json_handler


class JsonLogger(Logger):  # type: ignore[misc]  # gunicorn is untyped
    """Gunicorn's own logger with another format; gunicorn's setting `logger_class` names it."""

    def _set_handler(self, log: logging.Logger, output: str | None, fmt: object, stream: Any = None) -> None:
        super()._set_handler(log, output, fmt, stream)
        for handler in log.handlers:
            handler.setFormatter(json_handler().formatter)

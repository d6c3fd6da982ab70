"""Log lines: one JSON object each, whole also where several processes write to one file."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading

import pytest
import structlog

from service.logs import write_json_lines


def test_a_line_is_one_write_so_that_lines_of_two_processes_do_not_mix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    stream = io.StringIO()
    monkeypatch.setattr(stream, "write", written.append)
    monkeypatch.setattr(sys, "stderr", stream)
    root = logging.getLogger()
    before, handlers, level = structlog.get_config(), root.handlers, root.level
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    try:
        write_json_lines("info")
        structlog.get_logger().info("once", text="x")
        logging.getLogger("rq").warning("twice")
    finally:
        structlog.configure(**before)
        logging.captureWarnings(capture=False)
        root.handlers = handlers
        root.setLevel(level)
    assert [json.loads(line)["event"] for line in written] == ["once", "twice"]
    assert all(line.endswith("\n") for line in written)

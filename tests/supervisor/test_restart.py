"""A store starts again however long its log is: ready means loaded, and what loads is waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import redis

from service.log import StoreLoading
from service.log.valkey import ValkeyLog
from service.log.valkey.loading import LoadProgress, wait_until_loaded
from service.log.valkey.wire import Wire
from service.supervisor import EmbeddedValkey
from tests.supervisor.loading_server import loading_server
from tests.supervisor.logs import MEGABYTE, has_all, size_of_log, write_log
from tests.supervisor.restart import restart, when_answering


@pytest.mark.parametrize("megabytes", [3, 30])
def test_a_start_returns_once_the_log_has_been_read(tmp_path: Path, megabytes: int) -> None:
    commits = write_log(tmp_path / "valkey", megabytes * MEGABYTE)

    with EmbeddedValkey(tmp_path / "valkey") as server, closing(ValkeyLog.connect(server.url)) as log:
        assert has_all(log, commits)


def test_a_start_on_a_busy_machine_waits_longer(tmp_path: Path) -> None:
    commits = write_log(tmp_path / "valkey", 30 * MEGABYTE, seconds=0.5)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        with EmbeddedValkey(tmp_path / "valkey") as server, closing(ValkeyLog.connect(server.url)) as log:
            assert has_all(log, commits)
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_the_log_is_rewritten_by_itself_and_loses_what_was_replaced(tmp_path: Path) -> None:
    commits = write_log(tmp_path / "valkey", 3 * MEGABYTE, replaced=70 * MEGABYTE)
    with EmbeddedValkey(tmp_path / "valkey") as server, closing(ValkeyLog.connect(server.url)) as log:
        ends = time.monotonic() + 60
        while size_of_log(tmp_path / "valkey") > 10 * MEGABYTE and time.monotonic() < ends:
            time.sleep(0.1)
        assert size_of_log(tmp_path / "valkey") < 10 * MEGABYTE
        assert has_all(log, commits)

    with EmbeddedValkey(tmp_path / "valkey") as server, closing(ValkeyLog.connect(server.url)) as log:
        assert has_all(log, commits)


@pytest.mark.overnight
def test_a_long_log_starts_again_after_kills_and_in_the_middle_of_a_rewrite(tmp_path: Path) -> None:
    """`make restart` does the same with 300 MB."""
    assert restart(tmp_path / "valkey", 6)["kept"] is True


def test_how_far_the_log_has_been_read_is_told_while_it_is_read(tmp_path: Path) -> None:
    write_log(tmp_path / "valkey", 30 * MEGABYTE, seconds=2)
    heard: list[LoadProgress] = []

    server = EmbeddedValkey(tmp_path / "valkey")
    server.start(heard.append)
    server.stop()

    assert heard
    sizes = [progress.total_bytes // MEGABYTE for progress in heard]
    assert sizes == sorted(sizes), "it may be asked before it knows"
    assert set(sizes) - {0} == {30}
    assert [progress.loaded_bytes for progress in heard] == sorted(
        progress.loaded_bytes for progress in heard
    )


@pytest.mark.overnight
def test_a_start_after_a_kill_in_the_middle_of_a_rewrite_finds_everything(tmp_path: Path) -> None:
    commits = write_log(tmp_path / "valkey", 30 * MEGABYTE)
    with EmbeddedValkey(tmp_path / "valkey") as server:
        with redis.Redis.from_url(server.url) as client:
            client.config_set("rdb-key-save-delay", 10_000)
            pid = client.info("server")["process_id"]
            client.bgrewriteaof()
            assert client.info("persistence")["aof_rewrite_in_progress"] == 1
        os.kill(pid, signal.SIGKILL)
        with closing(ValkeyLog.connect_when_loaded(when_answering(server.url), lambda _: None)) as log:
            assert has_all(log, commits)

    with EmbeddedValkey(tmp_path / "valkey") as server, closing(ValkeyLog.connect(server.url)) as log:
        assert has_all(log, commits)


def test_a_server_that_loads_refuses_as_one_that_serves_later() -> None:
    with loading_server(30_000_000, 0) as server:
        with closing(Wire(server.url)) as wire, pytest.raises(StoreLoading):
            wire.read("GET", "anything")
        server.loaded_bytes = 12_000_000
        with closing(ValkeyLog.at(server.url)) as log, pytest.raises(StoreLoading) as fault:
            log.ping()

    assert str(fault.value) == (
        "the store is not ready: it has read 40 % of its log of 30.0 MB, about 18 s left"
    )


def test_a_server_that_makes_progress_is_waited_for() -> None:
    heard: list[LoadProgress] = []
    with loading_server(5_000_000, 1_000_000) as server, closing(Wire(server.url)) as wire:
        wait_until_loaded(wire, heard.append, stalled_s=10)

    assert [progress.percent for progress in heard] == [20, 40, 60, 80, 100]


def test_a_server_that_makes_no_progress_for_long_is_given_up() -> None:
    with (
        loading_server(5_000_000, 0) as server,
        closing(Wire(server.url)) as wire,
        pytest.raises(StoreLoading, match=r"has read nothing of its log for 0\.5 s"),
    ):
        wait_until_loaded(wire, lambda _: None, stalled_s=0.5)

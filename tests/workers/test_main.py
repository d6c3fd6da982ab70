"""`python -m workers` as the product starts it: settings, the store that comes later, the stop."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from service.log.valkey import ValkeyLog
from service.settings import Settings
from service.supervisor import EmbeddedValkey
from tests.support.tiny_table import eid
from tests.support.waiting import PATIENCE_S, until
from tests.workers.conftest import ROOT, Hall
from workers.__main__ import KEY_S, signer_of

WORKER = (sys.executable, "-m", "workers")


def _environment(directory: Path, **settings: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REWOUND_")}
    return clean | {"REWOUND_DATA_DIR": str(directory)} | settings


def test_a_worker_without_servers_says_what_it_lacks(tmp_path: Path) -> None:
    done = subprocess.run(
        WORKER, cwd=ROOT, env=_environment(tmp_path), capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "REWOUND_STREAMS_URL" in done.stderr


def test_a_worker_with_wrong_settings_names_them(tmp_path: Path) -> None:
    environment = _environment(tmp_path, REWOUND_GROUPS="many")
    done = subprocess.run(WORKER, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "REWOUND_GROUPS" in done.stderr


def test_a_worker_waits_for_its_store_and_ends_when_told(tmp_path: Path) -> None:
    directory = tmp_path / "valkey"
    output = tmp_path / "worker.log"
    with EmbeddedValkey(directory) as server:
        urls = {"REWOUND_STREAMS_URL": server.url, "REWOUND_QUEUE_URL": server.queue_url}
    with output.open("wb") as file:
        worker = subprocess.Popen(
            WORKER, cwd=ROOT, env=_environment(tmp_path, **urls), stdout=file, stderr=file
        )
    try:
        until(lambda: "worker.waiting" in output.read_text(), "the worker waits")
        with EmbeddedValkey(directory):
            until(lambda: "worker.started" in output.read_text(), "the worker works")
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(PATIENCE_S) == 0
    finally:
        worker.kill()
        worker.wait()
    assert "worker.stopped" in output.read_text()


def test_a_store_that_goes_and_comes_back_is_taken_up_again(tmp_path: Path, hall: Hall) -> None:
    directory = tmp_path / "valkey"
    with EmbeddedValkey(directory) as server:
        hall.streams_url, hall.queue_url = server.url, server.queue_url
        hall.log = ValkeyLog.connect(server.url)
        hall.start()
        hall.open(eid())
        hall.until_folded()
        hall.log.close()
    with EmbeddedValkey(directory):
        hall.log = ValkeyLog.connect(hall.streams_url)
        hall.do(eid(), "roll")
        hall.until_folded()
        hall.check()
        hall.log.close()


def test_without_a_queue_folding_goes_on(tmp_path: Path, hall: Hall) -> None:
    hall.queue_url = f"unix://{tmp_path}/nobody.sock"
    worker = hall.start()
    hall.open(eid())
    for _ in range(3):
        hall.do(eid(), "roll")

    hall.until_folded()

    hall.check()
    until(lambda: worker.lines("queue.lost"), "that there is no queue is said")
    worker.send(signal.SIGTERM)
    assert worker.ended() == 0


def test_the_signing_key_is_read_again_after_a_second_and_not_before(tmp_path: Path) -> None:
    file, now = tmp_path / "signing.key", [0.0]
    signer = signer_of(Settings(data_dir=tmp_path, signing_key_file=file), lambda: now[0])
    before = signer()

    file.write_text("22" * 32 + "\n")

    assert signer() is before
    now[0] = KEY_S
    assert signer().secret == bytes.fromhex("22" * 32)

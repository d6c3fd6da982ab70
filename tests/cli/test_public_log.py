"""`rewound log` and `rewound witness` as they are typed: against a running service, and as a process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner, Result

from service.audit import checkpoint
from service.audit.log_writer import LogWriter, log_name
from service.audit.mirror import Mirror
from service.audit.notes import verifier_key
from service.audit.signing import Signer
from service.audit.signing_memory import SigningMemory
from service.audit.witness_policy import read_policy
from service.cli import main
from service.cli.local_service import reserved_port
from service.log.memory import MemoryLog
from service.stores.public_log import COSIGNED, FORKED, PublicLog
from tests.audit.test_mirror import LOGS, fetching
from tests.cli.fights import PATIENCE_S, Service
from tests.support.a_log import LOG_KEY, a_log, head, opening
from tests.support.tiny_table import SIGNER
from workers.public_log import LogThread
from workers.witnesses import WitnessSubmitter

FIGHT = {
    "edition": "heartrush@1",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc", "might": 8},
        },
        {"position": [9, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 9, "might": 8}},
    ],
}


def typed(*words: str | Path) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, [str(word) for word in words])


def log_key(service: Service) -> str:
    """Return the verifier key of the service's log."""
    with closing(service.station.log()):
        signer = Signer(service.settings.origin, service.settings.signing_key())
    return verifier_key(log_name(signer.origin), signer.public)


def written(service: Service, size: int) -> None:
    """Wait until the service's log has a checkpoint of *size* entries."""
    with closing(service.station.log()) as log:
        ends = time.monotonic() + PATIENCE_S
        while (PublicLog(log).latest() or (0, ""))[0] < size:
            assert time.monotonic() < ends, "the log is not written"
            time.sleep(0.05)


def test_a_log_is_followed_and_its_openings_are_counted(service: Service, tmp_path: Path) -> None:
    policy, mirror = tmp_path / "friends.policy", tmp_path / "mirror"
    policy.write_text(f"log {log_key(service)}\nquorum none\n", "utf-8")
    with closing(service.station.log()) as log:
        size = PublicLog(log).size() + 2  # others of these tests use the service too
    left, ended = service.owner.open(FIGHT), service.owner.open(FIGHT)
    ended.close("enough")
    written(service, size + 1)

    first = typed("log", "follow", f"{service.station.url}/v1/log", mirror, "--policy", policy)
    again = typed("log", "follow", f"{service.station.url}/v1/log", mirror, "--policy", policy)
    counted = json.loads(typed("log", "count", mirror, "--json").stdout)
    shown = typed("log", "count", mirror)

    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    assert "it begins with all that it had" in again.stdout
    assert left.encounter in counted["open"]
    assert ended.encounter not in counted["open"]
    (owner,) = {by for by, openings in counted["openings"].items() if openings >= 2}
    alone = json.loads(typed("log", "count", mirror, "--owner", owner, "--json").stdout)
    assert list(alone["openings"]) == [owner]
    assert shown.stdout.startswith(f"{sum(counted['openings'].values())} openings by ")


def test_a_log_that_does_not_begin_with_what_it_had_ends_with_6(service: Service, tmp_path: Path) -> None:
    policy, mirror = tmp_path / "friends.policy", tmp_path / "mirror"
    policy.write_text(f"log {log_key(service)}\nquorum none\n", "utf-8")
    service.owner.open(FIGHT)
    written(service, 1)
    assert typed("log", "follow", f"{service.station.url}/v1/log", mirror, "--policy", policy).exit_code == 0
    (bundle,) = [each for each in (mirror / "tile" / "entries").rglob("*") if each.is_file()][-1:]
    raw = bundle.read_bytes()
    bundle.write_bytes(
        raw.replace(b'"kind":"opening"', b'"kind":"opened!"', 1)
    )  # the mirror had another entry

    found = typed("log", "follow", f"{service.station.url}/v1/log", mirror, "--policy", policy)

    assert found.exit_code == 6, found.output
    assert list((mirror / "contradictions").iterdir())


def test_two_histories_in_a_mirror_end_with_31(tmp_path: Path) -> None:
    _, writer = a_log(tmp_path, opening(1), head(1, 5))
    writer.log.propose([replace(head(1, 5), hash="ab" * 32)])
    writer.write()
    mirror = tmp_path / "mirror"
    Mirror(mirror).follow(fetching(writer), LOGS)

    found = typed("log", "count", mirror)

    assert found.exit_code == 31, found.output
    assert "two histories of 5 commits of 00000000-0000-4000-8000-000000000001" in found.stdout


def test_an_address_that_is_none_is_a_wrong_option(tmp_path: Path) -> None:
    policy = tmp_path / "friends.policy"
    policy.write_text(f"log {LOG_KEY}\nquorum none\n", "utf-8")

    assert typed("log", "follow", "ftp://example", tmp_path / "m", "--policy", policy).exit_code == 2


# --- rewound witness -------------------------------------------------------------------------------------


@contextmanager
def witness(home: Path, *words: str) -> Iterator[str]:
    """Run `rewound witness` as a process, and yield its address."""
    with reserved_port("127.0.0.1") as port:
        code = "from service.cli import main; main(prog_name='rewound')"
        listen = ["--listen", f"127.0.0.1:{port}", *words]
        process = subprocess.Popen([sys.executable, "-c", code, "witness", str(home), *listen])
        try:
            address = f"http://127.0.0.1:{port}"
            _until_it_answers(address)
            yield address
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _until_it_answers(address: str) -> None:
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urlopen(address, timeout=PATIENCE_S):  # noqa: S310 - it is our own
                return
        except URLError:
            assert time.monotonic() < ends, "the witness does not answer"
            time.sleep(0.05)


def test_a_witness_process_cosigns_and_refuses_another_history(tmp_path: Path) -> None:
    home = tmp_path / "witness"
    key = typed("witness", home, "--name", "ada.example", "--key-only").stdout.strip()
    (home / "logs").write_text(f"log {LOG_KEY}\n", "utf-8")
    assert (home / "witness.key").stat().st_mode & 0o077 == 0
    _, writer = a_log(tmp_path, opening(1), opening(2))
    (tmp_path / "b").mkdir()
    _, other = a_log(tmp_path / "b", opening(1), opening(9))
    with witness(home, "--name", "ada.example") as address:
        text = f"log {LOG_KEY}\nwitness ada {key} {address}\nquorum ada\n"
        policy = read_policy(text.encode())
        cosigned = WitnessSubmitter(writer.log, policy).submit()
        refused = WitnessSubmitter(other.log, policy).submit()
        with urlopen(address, timeout=PATIENCE_S) as answer:  # noqa: S310 - it is our own
            page = answer.read().decode()

    assert [(name, state.outcome) for name, state in cosigned] == [("ada", COSIGNED)]
    assert [(name, state.outcome) for name, state in refused] == [("ada", FORKED)]
    assert other.log.witness("ada").outcome == FORKED
    assert log_name(SIGNER.origin) in page
    assert "CONTRADICTION" in page


def test_a_witness_that_watches_no_log_says_so(tmp_path: Path) -> None:
    found = typed("witness", tmp_path / "w", "--name", "ada.example")

    assert found.exit_code == 1
    assert "names no log" in found.output


# --- what a worker knows ---------------------------------------------------------------------------------


@pytest.fixture
def store() -> Iterator[MemoryLog]:
    with closing(MemoryLog()) as found:
        yield found


def test_a_log_that_stands_still_is_a_state_until_it_goes_on(store: MemoryLog, tmp_path: Path) -> None:
    with closing(SigningMemory(tmp_path / "signing-memory.db")) as memory:
        whole = PublicLog(store)
        whole.propose([opening(1), opening(2)])
        LogThread(store, memory, lambda: SIGNER, "w1", Event()).look()
        latest = whole.latest()
        assert latest is not None
        newest = checkpoint.parse(latest[1])
        assert time.time() >= whole.signed_at() > 0
        with closing(MemoryLog()) as older:
            thread = LogThread(older, memory, lambda: SIGNER, "w1", Event())
            thread.look()
            found = PublicLog(older).dispute()
            LogWriter(PublicLog(older), memory, lambda: SIGNER).put_back(whole.entries(0, 2), newest)
            thread.look()
            after = PublicLog(older).dispute()

    assert whole.dispute() is None
    assert found is not None
    assert (found.why, found.signed, found.stored) == ("rolled_back", 2, 0)
    assert after is None

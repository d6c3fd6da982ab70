"""Play the example of two players who trust nobody, and let a third verify it with files alone."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

from click.testing import CliRunner
from werkzeug.serving import make_server

from rewound_client import Rewound
from service.audit import bundle
from service.audit.signing_memory import SigningMemory
from service.cli import main
from tests.api.test_secrecy import served
from tests.audit.evidence_of import cut
from tests.audit.games import written
from tests.clients.conftest import ROOT
from tests.support.javascript_verifier import Case, judged

SCRIPT = ROOT / "examples" / "distrust" / "play.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("distrust_example", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def host(directory: Path) -> Iterator[Rewound]:
    """Serve over HTTP, with receipts, a service that draws the same as every other one of this kind."""
    memory = SigningMemory(directory / "signing-memory.db")
    with closing(memory), served(signing_memory=memory) as api:
        server = make_server("127.0.0.1", 0, api.app, threaded=True)
        running = Thread(target=server.serve_forever)
        running.start()
        try:
            assert api.token is not None
            with Rewound(f"http://127.0.0.1:{server.port}", api.token) as service:
                yield service
        finally:
            server.shutdown()
            running.join()
            server.server_close()


def played(directory: Path) -> dict[str, Any]:
    """Play the example with the seed that this test has, at a service of its own."""
    directory.mkdir()
    with host(directory) as service:
        found: dict[str, Any] = script().distrust(service, directory / "files", random.Random(19).randbytes)
    return found


def verified(file: Path, *more: str) -> tuple[int, str]:
    """Return the exit status of `rewound verify`, and the name of its verdict."""
    done = CliRunner(catch_exceptions=False).invoke(main, ["verify", str(file), "--json", *more])
    return done.exit_code, json.loads(done.stdout)["verdict"]["name"]


def test_a_third_verifies_the_fight_with_files_alone(tmp_path: Path) -> None:
    """Commands are signed, dice are seeded by both, stances are sealed by seats: and one lie is named."""
    shown = played(tmp_path / "fight")
    assert shown["contested"] == "upheld"
    raw: bytes = shown["bundle"].read_bytes()
    for what in ("seat_choice_opened", "seed_revealed", "stances_revealed", "contest_closed"):
        assert what.encode() in raw, what
    receipts: list[Path] = shown["receipts"]
    assert len(receipts) == sum(map(len, shown["sent"].values())), "each answer has one"
    key, *kept = shown["key"], str(receipts[-1]), str(receipts[0])
    given = ["--receipt", kept[0], "--receipt", kept[1]]
    assert verified(shown["bundle"], "--key", key, *given) == (0, "valid")
    assert judged([Case(raw, pinned=(bytes.fromhex(key),))]) == ["valid_without_rules"]

    left_out = tmp_path / "left_out.jsonl"
    last = json.loads(receipts[-1].read_bytes())["n"] - 1
    left_out.write_bytes(written(cut(bundle.read(raw), last, notes=(), keys=())))
    assert verified(left_out, "--key", key, *given)[1] == "truncated"
    assert verified(left_out, "--unsigned", *given)[1] == "truncated"


def test_the_same_seed_gives_the_same_fight(tmp_path: Path) -> None:
    """The players draw nothing besides what the seed gives them, so a failure is found again."""
    one, two = played(tmp_path / "one"), played(tmp_path / "two")

    assert one["sent"] == two["sent"]
    assert one["sent"]["ann"]

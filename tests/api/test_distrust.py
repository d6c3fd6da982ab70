"""Play the example of two players who trust nobody, and let a third verify it with files alone."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from service.audit import bundle
from service.cli import main
from tests.api.client import Api
from tests.audit.evidence_of import cut
from tests.audit.games import written
from tests.support.javascript_verifier import Case, judged
from tests.support.tiny_table import SIGNER

SCRIPT = Path(__file__).parents[2] / "examples" / "distrust" / "play.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("distrust_example", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calling(api: Api, played: ModuleType) -> Callable[..., Any]:
    """Return what sends the requests of the example."""

    def call(
        method: str, path: str, token: str, data: object = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        named = {name.replace("-", "_"): value for name, value in (headers or {}).items()}
        answer = api.with_token(token)(method, path, data, **named)
        if path.endswith("/bundle"):
            return answer.data
        found = json.loads(answer.text or "{}")
        if answer.status_code >= 400:
            raise played.Refused(found.get("detail"))
        return found

    return call


@pytest.fixture
def shown(owner: Api, tmp_path: Path) -> dict[str, Any]:
    """Play the example: the highest face of each die that a person throws."""
    played = script()
    found: dict[str, Any] = played.distrust(
        calling(owner, played), owner.token, tmp_path / "files", lambda die: int(die.rpartition(":d")[2])
    )
    return found


def verified(file: Path, *more: str) -> tuple[int, str]:
    """Return the exit status of `rewound verify`, and the name of its verdict."""
    done = CliRunner(catch_exceptions=False).invoke(main, ["verify", str(file), "--json", *more])
    return done.exit_code, json.loads(done.stdout)["verdict"]["name"]


def test_a_third_verifies_the_fight_with_files_alone(shown: dict[str, Any], tmp_path: Path) -> None:
    """Commands are signed, dice are seeded by both, stances are sealed by seats: and one lie is named."""
    assert shown["contested"] == "upheld"
    raw: bytes = shown["bundle"].read_bytes()
    for what in ("seat_choice_opened", "seed_revealed", "stances_revealed", "contest_closed"):
        assert what.encode() in raw, what
    receipts: list[Path] = shown["receipts"]
    assert len(receipts) > shown["commands"], "each answer has one"
    key, *kept = SIGNER.public.hex(), str(receipts[-1]), str(receipts[0])
    given = ["--receipt", kept[0], "--receipt", kept[1]]
    assert verified(shown["bundle"], "--key", key, *given) == (0, "valid")
    assert judged([Case(raw, pinned=(SIGNER.public,))]) == ["valid_without_rules"]

    left_out = tmp_path / "left_out.jsonl"
    last = json.loads(receipts[-1].read_bytes())["n"] - 1
    left_out.write_bytes(written(cut(bundle.read(raw), last, notes=(), keys=())))
    assert verified(left_out, "--key", key, *given)[1] == "truncated"
    assert verified(left_out, "--unsigned", *given)[1] == "truncated"

"""Each release that is kept, and what this build would keep, is read by this build as it was written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service.audit.verdict import SIGNED
from service.cli.client import connect
from tests.audit.golden import audit_of
from tests.audit.test_bundle_vectors import python, words
from tests.cli.test_backup import disputed
from tests.released import kept
from tests.released.kept import KeptStore

RELEASES = sorted(path.name for path in kept.HOME.iterdir() if (path / kept.FIGHTS).exists())
NOW = "this build"
VERDICT_S = 60.0

pytestmark = pytest.mark.slow


@pytest.fixture(
    scope="module",
    params=[*RELEASES, pytest.param(NOW, marks=pytest.mark.overnight if RELEASES else ())],
)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the directory of a release; that of this build, which `make slow` makes, is made now."""
    if request.param != NOW:
        return kept.HOME / str(request.param)
    home = tmp_path_factory.mktemp("kept") / "now"
    kept.keep(home)
    return home


@pytest.fixture
def store(release: Path, tmp_path: Path) -> tuple[Path, KeptStore]:
    """Give a copy of the release's data directory, and what it has."""
    data = tmp_path / "store"
    return data, kept.read_store(release, data)


def test_its_golden_bundles_audit_as_they_did(release: Path) -> None:
    audits = json.loads((release / "golden" / "audits.json").read_text("utf-8"))

    assert audits
    for name, audit in audits.items():
        found = audit_of((release / "golden" / f"{name}.jsonl").read_bytes())
        assert found["verdict"]["name"] in SIGNED, name
        assert found == audit, name


def test_its_vectors_have_their_verdicts(release: Path) -> None:
    home = release / "vectors" / "bundles"
    rows: list[dict[str, Any]] = json.loads((home / "verdicts.json").read_text("utf-8"))

    assert rows
    assert {row["name"]: python(*words(row, home), "--without-rules")[0] for row in rows} == {
        row["name"]: row["verdict"] for row in rows
    }


def test_a_service_starts_on_its_store_and_plays_on(store: tuple[Path, KeptStore]) -> None:
    data, has = store
    chance = Random("later")
    with kept.serving(data) as (_, url), connect(url, has.key) as owner:
        for fight in has.fights:
            table = owner.encounter(fight.encounter)
            assert kept.hashes(table)[: len(fight.commits)] == fight.commits
            if fight.undecided is not None:
                assert table.outcome(fight.undecided, wait_s=VERDICT_S)["outcome"] == "accepted"
            assert (table.get()["status"] == "closed") == fight.is_closed
            if not fight.is_closed:
                assert kept.play_on(owner, fight, 10, chance) > 1
                table.close("enough")
            assert table.audit(wait_s=VERDICT_S)["verdict"] == "valid"


def test_its_backup_is_restored_and_played_on_once_the_gm_accepts_it(release: Path, tmp_path: Path) -> None:
    old, data = tmp_path / "old", tmp_path / "restored"
    has = kept.read_store(release, old)
    data.mkdir(mode=0o700)
    for path in old.iterdir():
        if path.name != "valkey":
            shutil.copy2(path, data / path.name)
    kept.run(data, "restore", "--from", str(release / kept.BACKUP))

    with kept.serving(data) as (_, url), connect(url, has.key) as owner:
        for fight in has.fights:
            table = owner.encounter(fight.encounter)
            assert kept.hashes(table)[: len(fight.commits)] == fight.commits
            if not fight.is_closed:
                dispute = disputed(table)["dispute"]
                assert dispute["why"] == "restored"
                named = {name: dispute[name] for name in ("lost", "epoch")}
                table.send({"type": "accept_history", **named, "reason": "the disk broke"})
                assert kept.play_on(owner, fight, 10, Random("restored")) > 1
                table.close("enough")
            assert table.audit(wait_s=VERDICT_S)["verdict"] == "valid"


def test_a_commit_that_changed_is_noticed(release: Path) -> None:
    raw = (release / "golden" / "rise.jsonl").read_bytes()
    changed = raw.replace(rb"\"round\":2", rb"\"round\":3", 1)

    assert changed != raw
    assert audit_of(changed)["verdict"]["name"] not in SIGNED

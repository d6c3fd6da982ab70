"""The public log over HTTP: anybody reads what a checkpoint covers, and a fight proves itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from service.audit import bundle, checkpoint
from service.audit.fight import verify_fight
from service.audit.log_writer import LogWriter, log_name
from service.audit.logged import LOGGED, judge_log
from service.audit.notes import verifier_key
from service.audit.signing_memory import SigningMemory
from service.audit.tiles import ENTRIES, WIDTH, TiledTree, tile_path
from service.audit.tree import root
from service.log import Log
from service.record.log_entries import leaf_hash, read_entry
from service.stores.public_log import PublicLog
from tests.api.client import Api, Table
from tests.api.conftest import BOTH
from tests.support.a_log import opening
from tests.support.tiny_table import SIGNER


@pytest.fixture
def writer(log: Log, tmp_path: Path) -> LogWriter:
    return LogWriter(PublicLog(log), SigningMemory(tmp_path / "log.db"), lambda: SIGNER)


def test_anybody_reads_checkpoint_tiles_and_entries(api: Api, writer: LogWriter) -> None:
    assert api("GET", "/v1/log/checkpoint").status_code == 404
    writer.log.propose([opening(at) for at in range(600)])
    writer.write()

    answer = api("GET", "/v1/log/checkpoint")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    point = checkpoint.verify(answer.text, verifier_key(log_name(SIGNER.origin), SIGNER.public))
    assert point.size == 600

    def read(level: int, number: int, width: int) -> list[bytes]:
        answer = api("GET", f"/v1/log/{tile_path(level, number, width)}")
        assert answer.status_code == 200, tile_path(level, number, width)
        assert "immutable" in answer.headers["Cache-Control"]
        raw = answer.data
        return [raw[at : at + 32] for at in range(0, len(raw), 32)]

    assert TiledTree(600, read).root == point.root
    leaves: list[bytes] = []
    for number, width in ((0, WIDTH), (1, WIDTH), (2, 88)):
        raw = api("GET", f"/v1/log/{tile_path(ENTRIES, number, width)}").data
        while raw:
            length = int.from_bytes(raw[:2], "big")
            assert read_entry(raw[2 : 2 + length]).size == 1
            leaves.append(leaf_hash(raw[2 : 2 + length]))
            raw = raw[2 + length :]
    assert root(leaves) == point.root


@pytest.mark.parametrize(
    "path",
    [
        *("tile/0/003", "tile/0/002.p/89", "tile/0/002", "tile/1/000", "tile/64/000", "tile/00/000"),
        *("tile/0/000.p/256", "tile/0/000.p/0", "tile/0/0", "tile/0/x000/000/000", "tile/words/000"),
        *("tile/entries/002", "tile/0/x001/234", "tile/0/000.p"),
    ],
)
def test_what_no_checkpoint_covers_is_not_there(api: Api, writer: LogWriter, path: str) -> None:
    writer.log.propose([opening(at) for at in range(600)])
    writer.write()
    assert api("GET", f"/v1/log/{path}").status_code == 404


def test_a_fight_that_was_played_here_proves_itself(table: Table, writer: LogWriter) -> None:
    table.send(table.gm, {"type": "add", "amount": 1})
    table.send(table.gm, {"type": "end_round"})
    assert table.gm("DELETE", table.at).status_code == 200
    raw = table.gm("GET", f"{table.at}/bundle").data  # waits for the signature of the end
    writer.write()

    answer = table.ada("GET", f"{table.at}/log-proof")
    assert answer.status_code == 200
    kinds = [json.loads(each["entry"])["kind"] for each in answer.get_json()["entries"]]
    assert kinds == ["opening", "head", "end"]
    fight = bundle.read_fight(raw, pinned=(SIGNER.public,))
    report = judge_log(verify_fight(fight, BOTH), fight, answer.data, None)
    assert report.verdict.name == "valid"
    assert LOGGED in {finding.name for finding in report.findings}
    entries = " ".join(each["entry"] for each in answer.get_json()["entries"])
    assert {"v", "kind", *kinds} <= (said := set(re.findall(r"\w+", entries)))
    assert "ada" not in said
    around = answer.text.replace("\\n", " ")  # of which a hash or a signature is one word
    assert {"checkpoints", "proof", table.id} <= (words := set(re.findall(r"[\w+/=-]+", around)))
    assert "ada" not in words


def test_a_fight_that_went_on_in_other_lines_proves_each_of_them(table: Table, writer: LogWriter) -> None:
    for command in ({"type": "end_round"}, {"type": "add", "amount": 1}):
        table.send(table.gm, command)
    assert table.gm("POST", f"{table.at}/undo", {"to": 2}).status_code == 200
    assert table.gm("POST", f"{table.at}/redo", {}).status_code == 200
    for command in ({"type": "end_round"}, {"type": "add", "amount": 1}):
        table.send(table.gm, command)
    writer.write()
    fights = [table.gm("GET", f"{table.at}/bundle").data]
    proofs = [table.ada("GET", f"{table.at}/log-proof")]
    assert table.gm("DELETE", table.at).status_code == 200
    fights.append(table.gm("GET", f"{table.at}/bundle").data)  # waits for the signature of the end
    writer.write()
    proofs.append(table.ada("GET", f"{table.at}/log-proof"))

    read = [bundle.read_fight(raw, pinned=(SIGNER.public,)) for raw in fights]
    for fight, proof, verdict in zip(read, proofs, ("valid_to_epoch", "valid"), strict=True):
        assert len(fight) == 3
        report = verify_fight(fight, BOTH)
        assert report.verdict.name == verdict, report.verdict
        report = judge_log(report, fight, proof.data, None)
        assert report.verdict.name == verdict, report.verdict
    entries = [json.loads(each["entry"]) for each in proofs[1].get_json()["entries"]]
    lines = list(dict.fromkeys(each["encounter"] for each in entries))
    kinds = [[each["kind"] for each in entries if each["encounter"] == line] for line in lines]
    assert sorted(kinds) == [["line", "end"], ["line", "head", "end"], ["opening", "head", "end"]]
    redone = next(
        each for each in entries if each["kind"] == "line" and each["encounter"] == read[1][-1].encounter
    )
    assert (redone["parent"], redone["ruled_in"]) == (read[1][0].encounter, read[1][1].encounter)

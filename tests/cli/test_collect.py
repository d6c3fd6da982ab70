"""`rewound collect` fetches an evening, and `rewound verify` judges what it fetched."""

from __future__ import annotations

import json
import time
from pathlib import Path

from click.testing import CliRunner

from rewound_client import Rewound
from service.cli import main
from tests.clients.test_distrust import host


def collected(service: Rewound, directory: Path, *options: str) -> tuple[int, str]:
    transport = service._transport  # noqa: SLF001 - its address and key are what the command is given
    key = transport._token  # noqa: SLF001 - as above
    words = ["collect", transport.address, str(directory), "--key", key, *options]
    done = CliRunner().invoke(main, words)
    return done.exit_code, done.output


def test_an_evening_is_fetched_and_judged(tmp_path: Path) -> None:
    files = tmp_path / "evening"
    (tmp_path / "host").mkdir()
    with host(tmp_path / "host") as service:
        tables = [service.open({"edition": "tiny@1"}) for _ in range(2)]
        for table in tables:
            table.close("enough")
        tables[0].fork(1)
        status, said = collected(service, files)
        assert status == 0, said
        ids = {table.encounter for table in tables}
        assert {path.stem for path in files.glob("*.jsonl")} == ids
        assert {line.split()[0] for line in (files / "fights.txt").read_text().splitlines()} == ids
        assert "compare it with what you know" in said
        (files / "keys.txt").write_text("ab" * 32 + "\n")
        assert collected(service, files, "--since", "2999-01-01")[0] == 0
        assert (files / "keys.txt").read_text() == "ab" * 32 + "\n", "what the organiser wrote stays"
        assert "0 fights" in collected(service, tmp_path / "none", "--since", "2999-01-01")[1]
    (files / "keys.txt").unlink()
    (files / f"{tables[1].encounter}.jsonl").unlink()
    done = CliRunner().invoke(main, ["verify", str(files), "--without-rules", "--unsigned", "--json"])
    rows = {row["encounter"]: row for row in json.loads(done.stdout)["fights"]}
    assert rows[tables[0].encounter]["verdict"]["name"] == "valid_unsigned_without_rules"
    assert rows[tables[1].encounter]["verdict"]["name"] == "missing"
    assert done.exit_code == 40


def test_a_service_that_is_not_there_is_named(tmp_path: Path) -> None:
    began = time.monotonic()
    files = tmp_path / "evening"
    done = CliRunner().invoke(main, ["collect", "http://127.0.0.1:9", str(files), "--key", "rw_x"])
    assert done.exit_code == 1
    assert "http://127.0.0.1:9 does not answer" in done.output
    assert not files.exists()
    assert time.monotonic() - began < 30, "it is told after one try"

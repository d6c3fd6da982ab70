"""What is shown to integrators: the simulation runs here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Final

from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host

HERE: Final = ROOT / "docs" / "integrations"


def test_the_simulation_plays_fights_that_an_audit_finds_valid(host: Host, rewound: Rewound) -> None:
    done = subprocess.run(
        [sys.executable, HERE / "simulate.py", host.address, host.key, "--times", "2", "--seed", "7"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["seed"] for result in results] == [7, 8]
    for result in results:
        table = rewound.encounter(result["encounter"])
        assert table.get()["hash"] == result["head"]
        assert result["commits"] > 5
        assert table.audit()["verdict"] == "valid"

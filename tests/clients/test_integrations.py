"""What is shown to integrators: the simulation runs here, the rest is read as far as that can be done."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from typing import Final

import rewound_client
from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host
from tests.javascript import NODE

HERE: Final = ROOT / "docs" / "integrations"
MODULE: Final = HERE / "foundry" / "rewound"


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


def test_the_bot_compiles_and_takes_what_the_client_has() -> None:
    tree = ast.parse((HERE / "discord_bot.py").read_text("utf-8"))
    compile(tree, "discord_bot.py", "exec")
    taken = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "rewound_client"
        for alias in node.names
    }
    assert taken
    assert taken <= set(rewound_client.__all__)


def test_the_module_is_parsed_and_its_manifest_names_what_is_there() -> None:
    manifest = json.loads((MODULE / "module.json").read_text("utf-8"))
    assert manifest["id"] == MODULE.name
    assert manifest["esmodules"]
    for name in manifest["esmodules"]:
        done = subprocess.run([NODE, "--check", MODULE / name], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

"""What is shown to integrators: the simulation runs here, the rest is read as far as that can be done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Final

from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host
from tests.support.javascript_verifier import NODE, node

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


def test_the_module_follows_and_acts_in_as_much_of_foundry_as_it_touches(
    host: Host, rewound: Rewound, forms: dict[str, Any]
) -> None:
    """It begins at now, tells each commit once, throws what a prompt wants, and stands a closed window."""
    form = forms["s002"]
    gm = rewound.open({name: value for name, value in form["opening"].items() if name != "seats"})
    for step in form["steps"]:
        if step.get("send", {}).get("type") == "throw_dice":
            break
        if "send" in step:
            gm.send(step["send"])
    before = gm.get()["version"] + 1  # the module opens the seat of its observer
    result = node("tests/clients/foundry.mjs", host.address, gm.encounter, host.key, "2")
    found = json.loads(result)
    assert found["began"] == before
    assert found["closed"] is None
    assert [each["outcome"] for each in found["sent"]] == ["accepted", "accepted"]
    assert found["thrown"] > 0
    assert found["version"] == before + 2
    played, *_, again = found["chat"]
    assert played == '<div title="13: TABLE-DICE-1, HR-ATK-1"><p>Ash attacks with 24</p></div>'
    assert f"<p>The fight goes on from commit {before + 1}.</p>" in found["chat"]
    assert again.startswith(f'<div title="{found["again"]["n"]}: ')
    pia = next(each for each in gm.creatures() if each["name"] == "Pia")
    x, y = pia["position"]
    assert found["moved"] == [["Token", [{"_id": "t1", "x": 100 * x, "y": 100 * y}]]]
    assert gm.get()["line"] == found["undone"]["line"]
    assert found["registered"] == {
        "address": "world",
        "encounter": "world",
        "token": "client",
        "last": "world",
    }
    assert found["warned"] == []
    assert found["looked"] == f"{host.address}/encounters/{gm.encounter}#key={host.key}"


def test_the_module_asks_for_the_words_that_a_person_writes(
    host: Host, rewound: Rewound, forms: dict[str, Any]
) -> None:
    opening = forms["s002"]["opening"]
    gm = rewound.open({name: value for name, value in opening.items() if name != "seats"})
    for step in forms["s002"]["steps"]:
        gm.send(step["send"])
        if step["send"]["type"] == "grant_priority":
            break
    found = json.loads(
        node("tests/clients/foundry.mjs", host.address, gm.encounter, host.key, "1", "call_out")
    )
    assert [each["outcome"] for each in (*found["sent"], found["again"])] == ["accepted", "accepted"]
    assert "Hold!" in found["chat"][0]
    assert found["warned"] == []


def test_the_module_is_parsed_and_its_manifest_names_what_is_there() -> None:
    manifest = json.loads((MODULE / "module.json").read_text("utf-8"))
    assert manifest["id"] == MODULE.name
    assert manifest["esmodules"]
    for name in manifest["esmodules"]:
        done = subprocess.run([NODE, "--check", MODULE / name], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

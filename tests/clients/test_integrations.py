"""What is shown to integrators: the simulation runs here, the rest is read as far as that can be done."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import runpy
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, Final

import pytest

import rewound_client
from rewound_client import Rewound
from tests.clients import discord_stub
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


def test_the_bot_seats_somebody_offers_acts_and_tells_the_channel(
    host: Host, rewound: Rewound, forms: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REWOUND", host.address)
    monkeypatch.setenv("REWOUND_KEY", host.key)
    with discord_stub.installed():
        bot = SimpleNamespace(**runpy.run_path(str(HERE / "discord_bot.py")))
    form = forms["s002"]
    gm = rewound.open(form["opening"])
    for step in form["steps"][:2]:
        gm.send(step["send"])
    channel, zoe = discord_stub.Channel(3), SimpleNamespace(id=5, display_name="Zoe")

    async def table() -> list[str]:
        said: list[str] = []
        for command, *words in (
            ("act", '{"type": "pass"}'),
            ("watch", gm.encounter),
            ("watch", gm.encounter),
            ("sit", zoe, "zoe"),
            ("options",),
            ("act", "[1]"),
            ("act", '{"type": "engage", "creature": "ash", "target": "orc"}'),
            ("act", json.dumps(form["steps"][2]["send"])),
        ):
            asked = discord_stub.Interaction(zoe, channel, id=len(said))
            await bot.tree.commands[command](asked, *words)
            said += asked.told
        await channel.full.wait()
        bot.seats.encounters.clear()
        return said

    nobody, watched, again, sat, offers, wrong, refused, done = asyncio.run(table())
    assert nobody.endswith("sit down first: the GM says /sit")
    assert (watched, again) == (f"Posting {gm.encounter} here.", f"{gm.encounter} is posted here already.")
    assert sat == "Zoe sits as zoe."
    assert '{"type": "engage", "creature": "pia", "target": ' in offers
    assert wrong.startswith("That did not work")
    assert refused.startswith("Refused (not_your_creature")
    assert done.startswith("accepted: ability_used")
    assert "engagement declared" in channel.posts[-1]
    assert bot.bot.how["allowed_mentions"] == "nobody"
    assert all(command.guild_only for command in bot.tree.commands.values()), (
        "elsewhere nobody asks permissions"
    )


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


def test_the_module_is_parsed_and_its_manifest_names_what_is_there() -> None:
    manifest = json.loads((MODULE / "module.json").read_text("utf-8"))
    assert manifest["id"] == MODULE.name
    assert manifest["esmodules"]
    for name in manifest["esmodules"]:
        done = subprocess.run([NODE, "--check", MODULE / name], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

"""The Foundry module on a real service, in a small Foundry written from the platform's public types."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any, Final

import pytest

from rewound_client import Rewound, Table
from tests.clients.conftest import ROOT, Host
from tests.support.javascript_verifier import NODE, node

MODULE: Final = ROOT / "docs" / "integrations" / "foundry" / "rewound"
OPENING: Final[dict[str, Any]] = {
    "edition": "heartrush@1",
    "title": "Two goblins",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "walls": {
        "3,0|4,0": "open_door",
        "5,0|6,0": "wall",
        "5,1|6,1": "wall",
        "5,2|6,2": "wall",
    },
    "creatures": [
        {"position": [1, 1], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
        {"position": [2, 1], "stat_block": "goblin", "id": "gob-1", "side": "foes"},
        {"position": [2, 0], "stat_block": "goblin", "id": "gob-2", "side": "foes"},
    ],
}
NORMAL: Final = 0
"""No door."""
DOOR: Final = 1


@pytest.fixture
def gm(rewound: Rewound) -> Table:
    return rewound.open(OPENING)


def ran(what: str, host: Host, gm: Table, **kept: object) -> dict[str, Any]:
    """Run the module in the small Foundry; return what happened there."""
    found: dict[str, Any] = json.loads(
        node("tests/clients/foundry.mjs", what, host.address, gm.encounter, host.key, told=json.dumps(kept))
    )
    return found


def test_bound_tokens_walls_bars_icons_and_tracker_show_the_fight(host: Host, gm: Table) -> None:
    found = ran("scene", host, gm)
    away = ["o1", 25, 25, 0]
    assert found["unbound"] == [*(["t" + n, 0, 0, 0] for n in "123"), ["t4", 7, 7, 0], away], "no name moves"
    # A quarter of 2,050 by 1,500 pixels is 6 and 4 whole squares; 3 m along 50 pixels are two cells.
    assert found["bound"] == [
        ["t1", 700, 500, 0],
        ["t2", 800, 500, 0],
        ["t3", 800, 400, 0],
        ["t4", 7, 7, 0],
        away,
    ]
    assert found["proposed"].count("selected") == len("123")
    assert found["risen"] == [800, 600, 10]

    own, other = [1000, 400, 1000, 500, DOOR], [0, 0, 100, 0, NORMAL, 0]
    assert found["own"] == [[*own, 1], other], "the scene's own door opens as that of the fight"
    assert found["drawn"] == [[*own, 1], other, [*own, 1], [1200, 400, 1200, 700, NORMAL, 0]]
    assert found["shut"] == [[*own, 0], other, [*own, 0], [1200, 500, 1200, 700, NORMAL, 0]]
    assert found["erased"] == [[*own, 0], other]

    pia, one, other_one = found["hp"]
    assert pia["attributes"]["hp"] == {"value": 40, "max": 40}
    assert one["attributes"]["hp"] == {"value": 3, "max": 20}
    assert other_one == {"attributes": {"hp": {"value": 1, "max": 1}}, "hits": 2}
    assert found["goblin"]["attributes"]["hp"] == {"value": 1, "max": 1}, (
        "not the actor that all goblins share"
    )
    assert found["effects"] == [["prone", "icons/svg/aura.svg", 2]]
    assert found["down"] == [["down", "icons/svg/unconscious.svg", 2]]

    assert found["before"] == [], "there is no combat before the first round"
    everybody = [["t1", False], ["t2", True], ["t3", False], ["o1", False]]
    assert found["tracked"] == [{"round": 1, "turn": "t1", "fighting": everybody}]
    assert found["quiet"], "systems do nothing at the begin and end of turns"
    assert found["released"][0]["fighting"] == [each for each in everybody if each[0] != "t3"]
    assert found["chat"][0].startswith(
        '<div title="3: HR-SVC-1"><p>A ruling of the gm: the door falls shut</p>'
    )


def decisions(chat: list[str]) -> list[str]:
    """Return the rulings that the chat tells, in order."""
    return [each for text in chat for each in re.findall("A ruling of the gm: ([^<]*)<", text)]


def test_nothing_is_lost_when_writes_fail_the_network_is_cut_or_the_gm_changes(host: Host, gm: Table) -> None:
    found = ran("faults", host, gm, isBound=True)
    assert decisions(found["unposted"]) == ["one", "two"], "each once, though the first failed five times"
    again = "It is tried again until it succeeds."
    assert found["told"] == [
        f"Rewound: following is interrupted (ChatMessage.create failed). {again}",
        "Rewound: following goes on.",
    ]
    assert found["told_of_tokens"] == [], "what fails twice and then succeeds is nothing to tell"
    assert found["network"] == [
        f"Rewound: following is interrupted (the service does not answer). {again}",
        "Rewound: following goes on.",
    ]
    most = 3
    assert found["burst"] <= most, "one that was on its way, one for twelve commits, one for the last"
    assert (found["left"], found["streams"]) == (0, 1)
    bursts = [f"burst {number}" for number in range(12)]
    assert decisions(found["chat"]) == ["one", "two", "three", "four", *bursts, "after", "unseen", "anew"]
    assert sum("the fight goes on from commit" in text for text in found["chat"]) == 1
    assert decisions(found["after"])[-2:] == ["seen by a new token", "once more"], (
        "a refused token is issued again"
    )


def test_a_restarted_world_shows_the_fight_at_once_and_posts_what_it_missed(host: Host, gm: Table) -> None:
    first = ran("restart", host, gm, isBound=True)
    assert (first["chat"], first["at"]) == ([], [700, 500, 0])
    gm.send({"type": "gm_ruling", "kind": "environment", "decision": "while nobody was there"})
    again = ran("restart", host, gm, isBound=True, **first["kept"])
    assert decisions(again["chat"]) == ["while nobody was there"]
    assert len(again["chat"]) == 1, "no new token is issued"
    assert again["at"] == [700, 500, 0]


def test_the_panel_acts_by_options(host: Host, gm: Table) -> None:
    found = ran("panel", host, gm, isBound=True)
    assert {name: each["scope"] for name, each in found["registered"].items()} == {
        "address": "world",
        "encounter": "world",
        "token": "client",
        "observer": "client",
        "last": "world",
    }
    assert all(each["hint"] for each in found["registered"].values() if each["config"])
    tool = found["tool"]
    assert (tool["name"], tool["order"], tool["button"], tool["visible"]) == ("rewound", 1, True, True)
    assert "Before the first round. Asked: gm, Pia, Goblin (gob-1), Goblin (gob-2)" in found["first"]
    assert "Round 1. Asked: Pia<" in found["turn"]
    assert ">Pia: Call out one sentence<" in found["turn"]
    assert "Hold &#60;b&#62;!" in found["called"]
    assert "Join the engagement" in found["engaged"]
    assert found["opened"] == f"{host.address}/encounters/{gm.encounter}#key={host.key}"
    assert found["told"] == ["Select the tokens on the scene first."]
    assert found["acted"]["outcome"] == "accepted"
    assert not found["isOpen"]


def test_a_die_is_thrown_with_the_dice_of_foundry(
    host: Host, rewound: Rewound, forms: dict[str, Any]
) -> None:
    form = forms["s002"]
    table = rewound.open({name: value for name, value in form["opening"].items() if name != "seats"})
    for step in form["steps"]:
        if step.get("send", {}).get("type") == "throw_dice":
            break
        if "send" in step:
            table.send(step["send"])
    found = ran("dice", host, table)
    assert found["acted"]["outcome"] == "accepted"
    assert found["thrown"], "each face is shown to all"
    assert [each["command"]["faces"] for each in found["sent"]] == [found["thrown"]]


# --- the manifest -------------------------------------------------------------------------------------


def test_the_module_is_parsed_and_its_manifest_names_what_is_there() -> None:
    manifest = json.loads((MODULE / "module.json").read_text("utf-8"))
    assert manifest["id"] == MODULE.name
    assert "verified" not in manifest["compatibility"], (
        "it names a version of Foundry that was tested; none was"
    )
    named = [*manifest["esmodules"], *manifest["styles"], *(each["path"] for each in manifest["languages"])]
    assert all((MODULE / name).is_file() for name in named)
    for path in MODULE.glob("*.mjs"):
        done = subprocess.run([NODE, "--check", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_every_text_of_the_module_is_there_and_used() -> None:
    texts = json.loads((MODULE / "lang" / "en.json").read_text("utf-8"))
    code = "".join(path.read_text("utf-8") for path in MODULE.glob("*.mjs"))
    used = {f"REWOUND.{name}" for name in re.findall(r'say\("(\w+)"', code)} | set(
        re.findall(r'"(REWOUND\.\w+)"', code)
    )
    settings = {
        f"REWOUND.{name}.{part}" for name in re.findall(r'text\("(\w+)"', code) for part in ("name", "hint")
    }
    tools = {
        f"REWOUND.{name}" for name in re.findall(r'"(\w+)"', "".join(re.findall(r"TOOLS = \[(.*)\]", code)))
    }
    assert set(texts) == used | settings | tools

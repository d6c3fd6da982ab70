"""Play with bots: the same seed is the same fight, both rulebooks end, and what is told adds up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.rules.registry import REGISTRY
from service.simulation import fights
from service.simulation.bot import Bot, Move
from service.simulation.table import LocalTable, secrets_of

EXAMPLES = Path(__file__).parents[2] / "examples"
BOTH = ("orc-and-hound.json", "mutual-kill.json")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["play", *arguments])


def played(*arguments: str) -> Sequence[dict[str, Any]]:
    answer = run(*arguments)
    assert answer.exit_code == 0, answer.output
    return [json.loads(line) for line in answer.stdout.splitlines()]


@pytest.mark.parametrize("name", BOTH)
def test_fights_of_both_rulebooks_end_with_one_side(name: str) -> None:
    found = played(str(EXAMPLES / name), "--times", "3", "--seed", "t")

    assert [fight["seed"] for fight in found] == ["t/0", "t/1", "t/2"]
    for fight in found:
        assert fight["ended"] in ("one_side_stands", "nobody_stands")
        assert (fight["winner"] is None) == (fight["ended"] == "nobody_stands")
        assert min(fight["hp"].values()) <= 0 < sum(fight["damage"].values())
    assert len({fight["commands"] for fight in found} | {str(fight["hp"]) for fight in found}) > 1


def test_the_same_seed_plays_the_same_fight() -> None:
    name = str(EXAMPLES / "mutual-kill.json")

    many, once = played(name, "--times", "2", "--seed", "s"), played(name, "--times", "1", "--seed", "s")

    assert many[0] == once[0]
    assert many[1] != {**once[0], "fight": 1}


def test_a_fight_is_stopped_where_it_is_told_to() -> None:
    name = str(EXAMPLES / "orc-and-hound.json")

    [short], [round_] = played(name, "--commands", "5"), played(name, "--rounds", "1")

    assert (short["ended"], short["commands"]) == ("commands", 5)
    assert (round_["ended"], round_["winner"]) == ("rounds", None)


def test_an_opening_may_stand_alone_in_its_file(tmp_path: Path) -> None:
    script = json.loads((EXAMPLES / "mutual-kill.json").read_text("utf-8"))
    alone = tmp_path / "opening.json"
    alone.write_text(json.dumps(next(iter(script["forms"].values()))["opening"]), "utf-8")

    assert played(str(alone))[0] == played(str(EXAMPLES / "mutual-kill.json"))[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no", "not valid JSON"),
        ("[]", "a JSON object"),
        ('{"edition": "chess@1"}', "unknown edition"),
        ("{}", "unknown edition"),
    ],
)
def test_what_cannot_be_played_is_said(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, "utf-8")

    answer = run(str(file))

    assert answer.exit_code == 1
    assert why in answer.output


def test_an_offer_that_is_refused_is_no_silent_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker itself is checked: a bot that sends what was not offered is found out."""
    script = json.loads((EXAMPLES / "mutual-kill.json").read_text("utf-8"))
    opening = {**next(iter(script["forms"].values()))["opening"], "declared_sides": []}
    monkeypatch.setattr(Bot, "pick", lambda *_: Move("gm", "end_turn", {"creature": "knight"}))

    with pytest.raises(fights.FightStalled, match="end_turn"):
        fights.play(REGISTRY, opening, "x")


def test_a_seeds_secrets_are_its_own() -> None:
    script = json.loads((EXAMPLES / "mutual-kill.json").read_text("utf-8"))
    opening = {**next(iter(script["forms"].values()))["opening"], "declared_sides": []}
    hashes = {LocalTable(REGISTRY, opening, secrets_of(seed)).opened[0].hash for seed in ("a", "a", "b")}

    assert len(hashes) == 2

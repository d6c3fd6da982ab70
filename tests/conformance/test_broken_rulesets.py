"""Each law of the conformance suite finds the duel that breaks it, and no law finds fault with the duel."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from rewound_duel import DUEL
from service.cli import check_ruleset as cli
from service.conformance.check import ConformanceReport, check_ruleset
from service.conformance.laws import LAWS
from service.rules.ruleset import Ruleset

ROOT: Final = Path(__file__).parents[2]
HOME: Final = ROOT / "examples" / "duel"
SOURCE: Final = (HOME / "rewound_duel.py").read_text("utf-8")
OPENING: Final[dict[str, Any]] = json.loads((HOME / "duel.json").read_text("utf-8"))

SPAN: Final = "    def decide(self, state: State) -> kit.Emits[State]:\n        strike = state.top"
"""Where `Answer` gets a check of its own."""

SCOPE: Final = "    def scope("
"""Where `Choose` does."""

OVER: Final = "    @property\n    def is_over(self)"
"""Where the state gets a method of its own."""

BROKEN: Final[dict[str, tuple[str, str]]] = {
    "listed": (", Won),", "),"),
    "bounded": (
        "    fighters: tuple[kit.CreatureId, kit.CreatureId]\n",
        '    fighters: tuple[kit.CreatureId, kit.CreatureId]\n    note: str = ""\n',
    ),
    "opens": ("if self.fighters[0] == self.fighters[1]:", "if self.fighters:"),
    "decides": ("        amount = strike.amount or 0", "        amount = 1 // 0"),
    "rests": (
        "against=self.against, amount=self.amount))\n\n\n@kit.record\nclass BreathLost",
        "against=self.against))\n\n\n@kit.record\nclass BreathLost",
    ),
    "offers": (
        SPAN,
        "    def check(self, view: State) -> None:\n        super().check(view)\n"
        '        if self.give_ground:\n            raise kit.Refused("never", "never")\n\n' + SPAN,
    ),
    "accepts": (SCOPE, "    def check(self, view: State) -> None:\n        pass\n\n" + SCOPE),
    "refusals": (
        SPAN,
        "    def check(self, view: State) -> None:\n        try:\n            super().check(view)\n"
        '        except kit.Refused:\n            view.__dict__["round"] += 1\n            raise\n\n' + SPAN,
    ),
    "codec": ("(*state.cornered, self.fighter) if", "[*state.cornered, self.fighter] if"),
    "folds": (
        "        left = max(0, state.breath[self.fighter] - self.amount)",
        "        COUNT.append(1)\n        left = len(COUNT) + max(0, state.breath[self.fighter] - 1)",
    ),
    "repeats": (
        "        amount = strike.amount or 0",
        "        COUNT.append(1)\n        amount = (strike.amount or 0) + 1000 * len(COUNT)",
    ),
    "spaces": (OVER, "    def crowded(self):\n        return [(x, x) for x in self.cornered]\n\n" + OVER),
    "secrecy": ("kit.Private(scope=state.secret(self.creature), event=chosen)", "chosen"),
    "rules": (
        "DUEL: Final",
        'DUEL_9 = kit.Rule("DUEL-9", "Never.", GAME)\nkit.enforces(DUEL_9)(lambda: None)\n\nDUEL: Final',
    ),
}
"""A change of the duel's source for each law, which breaks it."""


def report_of(ruleset: Ruleset[Any]) -> ConformanceReport:
    return check_ruleset(ruleset, [OPENING], plays=3, steps=10)


def test_every_law_has_a_ruleset_that_breaks_it() -> None:
    assert list(BROKEN) == list(LAWS)


def test_the_duel_keeps_every_law() -> None:
    report = check_ruleset(DUEL, [OPENING], plays=5, steps=40)
    assert [str(violation) for violation in report.violations] == []
    assert report.commands > 30


@pytest.mark.parametrize("law", BROKEN)
def test_a_ruleset_that_breaks_a_law_is_told_which(
    law: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = BROKEN[law]
    assert SOURCE.count(old) == 1, "the change changes one place"
    name = f"duel_that_breaks_{law}"
    source = SOURCE.replace(old, new).replace("BEATS: Final", "COUNT: list[int] = []\nBEATS: Final", 1)
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.setattr("service.rules.ruleset.DECIDING", 1000)
    monkeypatch.syspath_prepend(str(tmp_path))
    ruleset = import_module(name).DUEL

    report = report_of(ruleset)

    found = {violation.law: violation for violation in report.violations}
    assert law in found, [str(violation) for violation in report.violations]
    assert LAWS[law] in str(found[law])


def test_the_smallest_case_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = BROKEN["offers"]
    (tmp_path / "duel_of_few.py").write_text(SOURCE.replace(old, new))
    monkeypatch.syspath_prepend(str(tmp_path))
    report = report_of(import_module("duel_of_few").DUEL)
    (violation,) = (each for each in report.violations if each.law == "offers")
    assert [sent.type for sent in violation.commands] == ["choose", "choose"]
    assert "give_ground=true" in violation.detail


@pytest.mark.parametrize(
    ("name", "old", "new", "detail"),
    [
        (
            "duel_for_strangers",
            'audience=(f"seat:{self.controller(fighter)}",)',
            "audience=(self.controller(fighter),)",
            "an audience is written seat:NAME",
        ),
        (
            "duel_in_the_open",
            "kit.Private(scope=state.secret(self.creature), event=chosen)",
            "chosen",
            "move_chosen is an open event and seals /moves/",
        ),
    ],
)
def test_a_wrong_seal_is_named(
    name: str, old: str, new: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old in SOURCE
    (tmp_path / f"{name}.py").write_text(SOURCE.replace(old, new))
    monkeypatch.syspath_prepend(str(tmp_path))
    report = report_of(import_module(name).DUEL)
    (violation,) = (each for each in report.violations if each.law == "secrecy")
    assert detail in violation.detail


OFFERS: Final = "    @classmethod\n    def offers(cls, view, awaited):\n        "


@pytest.mark.parametrize(
    ("name", "law", "old", "new", "detail"),
    [
        ("duel_of_no_word", "listed", '("answer",)', '("reply",)', "accepts reply, which is not listed"),
        ("duel_of_silence", "offers", SPAN, f"{OFFERS}return iter(())\n\n{SPAN}", ", and offers nothing"),
        (
            "duel_of_no_value",
            "offers",
            SPAN,
            f'{OFFERS}yield kit.Offer(type="answer", choices={{"give_ground": ()}})\n\n{SPAN}',
            "offers answer without a value of give_ground",
        ),
    ],
)
def test_a_prompt_without_a_command_is_named(
    name: str, law: str, old: str, new: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SOURCE.count(old) == 1
    (tmp_path / f"{name}.py").write_text(SOURCE.replace(old, new))
    monkeypatch.syspath_prepend(str(tmp_path))
    report = report_of(import_module(name).DUEL)
    (violation,) = (each for each in report.violations if each.law == law)
    assert detail in violation.detail


@pytest.mark.parametrize(
    ("name", "law", "old", "new", "detail"),
    [
        (
            "duel_by_position",
            "decides",
            'pushed(Round(path="duel"))',
            'pushed(Round("duel"))',
            "Round.__init__() takes 1 positional argument but 2 were given (duel_by_position.py, line ",
        ),
        (
            "duel_without_a_yield",
            "decides",
            "        return (yield kit.Private(scope=state.secret(self.creature), event=chosen))",
            "        return chosen",
            "decide or advance returns MoveChosen(",
        ),
        (
            "duel_of_nothing",
            "decides",
            "        return kit.changed(state, moves=kit.with_key(state.moves, self.fighter, move))",
            "        kit.changed(state, moves=kit.with_key(state.moves, self.fighter, move))",
            "evolve of MoveChosen returns None and not the state",
        ),
        (
            "duel_of_one_frame",
            "rests",
            BROKEN["rests"][0],
            BROKEN["rests"][1],
            "Strike neither waits nor is popped",
        ),
        (
            "duel_of_another_occasion",
            "secrecy",
            'occasion=f"r{state.round}/reveal"',
            'occasion=f"r{state.round}/revel"',
            "an envelope waits for r1/reveal, an event has the occasion r1/revel",
        ),
        (
            "duel_for_a_stranger",
            "offers",
            "        seat = state.controller(self.against)\n",
            '        seat = "dm"\n',
            "waits for dm, which is not a seat",
        ),
        (
            "duel_that_writes",
            "folds",
            "        return state.put(Strike(",
            '        state.breath["ghost"] = 1\n        return state.put(Strike(',
            "a decision changes the state that it reads: use changed and with_key",
        ),
        (
            "duel_of_an_unknown_rule",
            "rules",
            'because=("DUEL-4",)',
            'because=("DUEL-44",)',
            "an event cites DUEL-44, which is not a rule",
        ),
        (
            "duel_with_a_spare_rule",
            "rules",
            "DUEL: Final",
            'DUEL_9 = kit.Rule("DUEL-9", "Never.", GAME)\n\nDUEL: Final',
            "no play came to DUEL-9",
        ),
        (
            "duel_that_looks",
            "offers",
            "if name not in state.moves",
            "if name not in state.moves or not kit.unsealed(state.moves[name])",
            "EnvelopeClosed: this view may not open the sealed value (duel_that_looks.py, line ",
        ),
    ],
)
def test_a_fault_of_the_code_is_named_with_its_place(
    name: str, law: str, old: str, new: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SOURCE.count(old) == 1
    (tmp_path / f"{name}.py").write_text(SOURCE.replace(old, new))
    monkeypatch.setattr("service.rules.ruleset.DECIDING", 1000)
    monkeypatch.syspath_prepend(str(tmp_path))
    report = report_of(import_module(name).DUEL)
    (violation,) = (each for each in report.violations if each.law == law)
    assert detail in violation.detail


def test_the_plays_that_ended_are_counted() -> None:
    report = check_ruleset(DUEL, [OPENING], plays=3, steps=400)
    assert (report.plays, report.ended) == (3, 3)
    assert check_ruleset(DUEL, [OPENING], plays=3, steps=1).ended == 0


def test_the_command_prints_each_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "every_ruleset", lambda: {DUEL.edition: DUEL})
    words = ["duel@1", str(HOME / "duel.json"), "--plays", "2", "--steps", "30"]
    done = CliRunner().invoke(cli.command, words)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[:-1] == [f"{law}: holds" for law in LAWS]
    unknown = CliRunner().invoke(cli.command, ["duel@2", str(HOME / "duel.json")])
    assert unknown.exit_code == 1
    assert "no package adds duel@2" in unknown.output


def test_an_opening_that_the_ruleset_cannot_read_is_named_with_its_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "every_ruleset", lambda: {DUEL.edition: DUEL})
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps({**OPENING, "fighters": 7}))
    done = CliRunner().invoke(cli.command, ["duel@1", str(path)])
    assert done.exit_code == 1
    assert f"{path}: at /fighters of the opening, expected" in done.output

"""The rules of the table itself, which every ruleset shares, are declared like a book's."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

from service import rules
from service.core.explain import rules_named, rules_of
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import RULES
from service.rules.registry import REGISTRY
from service.rules.rolls.chance import Chance
from service.rules.ruleset import decide
from tests.rules.heartrush.kit import NoDice, begun

NEAR = {"pia": (0, 0), "orc": (1, 0)}

_ID = re.compile(r"(?:TABLE|HR|RI)-[A-Z0-9]+(?:-[A-Z0-9]+)*")
_SOURCES = Path(__file__).parents[3] / "service" / "rules"


def test_every_rule_that_the_code_names_is_declared_and_enforced() -> None:
    """A refusal or an event that names a rule nobody can look up explains nothing."""
    assert REGISTRY
    for module in walk_packages(rules.__path__, "service.rules."):
        import_module(module.name)  # a rule is known once its module is imported
    known = {id_ for _, id_ in RULES}
    homeless: dict[str, set[str]] = {}
    for path in _SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            said = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if _ID.fullmatch(said) and said not in known:
                homeless.setdefault(said, set()).add(path.name)

    assert homeless == {}


@pytest.mark.parametrize(
    "id_", ["TABLE-SEAT-1", "TABLE-DICE-1", "TABLE-EPOCH-1", "TABLE-CLOSE-1", "TABLE-BATCH-1", "TABLE-WORK-1"]
)
def test_each_ruleset_lists_the_rules_of_the_table(id_: str) -> None:
    assert rules_named(HEARTRUSH, [id_])[0]["statement"]
    for ruleset in REGISTRY.values():
        assert id_ in {rule.id for rule in rules_of(ruleset)}


def test_TABLE_SEAT_1_the_gm_says_who_sits_where() -> None:
    refusal = begun(NEAR).send("open_seat", "zoe", seat="eve", role="observer").refusal

    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("not_gm", "TABLE-SEAT-1")


def test_TABLE_DICE_1_faces_are_told_by_whoever_throws() -> None:
    fight = begun(NEAR).do("engage", creature="pia", target="orc").joined_by()
    fight.stances(pia="might", orc="defensive").answer("declare_attack", "pia", target="orc")
    prompt = fight.logged("dice_requested")[-1]
    refusal = fight.send("throw_dice", "eve", prompt=prompt.prompt, faces=(1, 1, 1)).refusal

    assert prompt.because == ("TABLE-DICE-1",)
    assert refusal is not None
    assert refusal.rule == "TABLE-SEAT-1", "eve has no seat at all"


def test_TABLE_EPOCH_1_a_round_discloses_its_link_when_it_ends() -> None:
    fight = begun(NEAR)
    while fight.state.round == 1:
        fight.do("pass_side", side=fight.state.priority_side)

    assert [(event.epoch, event.because) for event in fight.logged("epoch_closed")] == [
        (1, ("TABLE-EPOCH-1",))
    ]


def test_TABLE_CLOSE_1_nothing_follows_the_close() -> None:
    fight = begun(NEAR).do("close")
    refusal = fight.send("dash", "zoe", creature="pia", to=[0, 1]).refusal

    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("encounter_over", "TABLE-CLOSE-1")


def test_TABLE_BATCH_1_a_refusal_stops_the_rest_of_its_array() -> None:
    fight = begun(NEAR)
    stopped = changed(fight.state, stopped="a1")
    zoe = Actor(seat="zoe", role="player")
    dash = from_data(
        HEARTRUSH.commands["dash"], {"creature": "pia", "to": [0, 1]}, families=HEARTRUSH.families, by=zoe
    )

    refusal = decide(stopped, dash, Chance(NoDice()), "a1").refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("skipped", "TABLE-BATCH-1")
    assert decide(stopped, dash, Chance(NoDice()), "a2").refusal is None


@pytest.mark.parametrize(("role", "code"), [("observer", "seat_cannot_act"), ("auditor", "seat_cannot_act")])
def test_TABLE_BATCH_1_who_watches_does_not_act(role: str, code: str) -> None:
    fight = begun(NEAR).do("open_seat", seat="eve", role=role)
    refusal = fight.send("pass", "eve", creature="pia").refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == (code, "TABLE-SEAT-1")


@pytest.mark.parametrize(
    ("seat", "prompt", "faces", "code"),
    [
        ("zoe", "r1/none", (1, 1, 1), "prompt_gone"),
        ("tom", None, (1, 1, 1), "not_your_prompt"),
        ("zoe", None, (1,), "faces_not_possible"),
        ("zoe", None, None, None),
        ("gm", None, None, None),
    ],
)
def test_TABLE_DICE_1_faces_answer_a_prompt_of_ones_own(
    seat: str, prompt: str | None, faces: tuple[int, ...] | None, code: str | None
) -> None:
    fight = begun(NEAR).do("open_seat", seat="tom", role="player")
    fight.do("engage", creature="pia", target="orc").joined_by()
    fight.stances(pia="might", orc="defensive").answer("declare_attack", "pia", target="orc")
    asked = fight.logged("dice_requested")[-1]
    thrown = tuple(1 for _ in asked.pool) if faces is None else faces
    refusal = fight.send("throw_dice", seat, prompt=prompt or asked.prompt, faces=thrown).refusal
    assert (refusal and (refusal.code, refusal.rule)) == (code and (code, "TABLE-DICE-1"))
    again = fight.send("throw_dice", seat, prompt="r1/none", faces=(1,)).refusal
    assert again is not None
    assert again.code == "prompt_gone"


def test_TABLE_DICE_1_without_a_prompt_nothing_is_thrown() -> None:
    refusal = begun(NEAR).send("throw_dice", "zoe", prompt="r1/none", faces=(1,)).refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("prompt_gone", "TABLE-DICE-1")


@pytest.mark.parametrize(
    ("by", "is_draft", "code"), [("zoe", False, "not_gm"), ("gm", True, "line_not_accepted")]
)
def test_TABLE_CLOSE_1_the_gm_closes_what_was_accepted(by: str, *, is_draft: bool, code: str) -> None:
    refusal = begun(NEAR).with_table(draft=is_draft).send("close", by).refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == (code, "TABLE-CLOSE-1")


def test_TABLE_CLOSE_1_the_record_says_whether_it_was_played_to_its_end() -> None:
    (event,) = begun(NEAR).do("close", reason="late").logged("closing_begun")
    assert (event.reason, event.abandoned, event.because) == ("late", True, ("TABLE-CLOSE-1",))

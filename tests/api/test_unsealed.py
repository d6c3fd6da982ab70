"""Mode mixed: what is offered before there are dice, and that no ruling lets a seed be chosen anew."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from math import prod
from typing import Any
from uuid import UUID

import pytest

from service.audit import bundle
from service.audit.evidence import stored_fight
from service.audit.fight import verify_fight
from service.dice.chain import seat_commitment
from service.log import Log
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor, Offer
from service.rules.kernel.records import changed
from service.rules.rolls.chance import Chance
from service.rules.rolls.seeding import Seeding
from service.rules.ruleset import Ruleset, decide, legal
from service.usecases.openings import opening_request
from tests.api.client import Table, is_problem
from tests.api.conftest import BOTH
from tests.api.test_amendments import ADD, ROLL, accepted, did, made, totals
from tests.api.test_seeding import SEEDS, mixed, sealed
from tests.rules.heartrush.kit import opening as heartrush_opening
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise_opening
from tests.support.javascript_verifier import OTHERWISE, Case, judged
from tests.support.tiny_table import eid, secrets_of

__all__ = ["mixed"]


def offered(ruleset: Ruleset[Any], state: Any) -> int:
    """Return how many commands everybody together is offered, every combination counted."""
    offers = [o for seat in state.seats for _, found in legal(ruleset, state, seat) for o in found]
    return sum(prod(len(values) for values in offer.choices.values()) for offer in offers)


def spelled(ruleset: Ruleset[Any], offer: Offer) -> dict[str, Any]:
    """Return the data of the command that an offer without choices describes."""
    taken = {field.name for field in fields(ruleset.commands[offer.type])}
    places = {"creature": offer.creature, "prompt": offer.prompt}
    named = {name: at for name, at in places.items() if at is not None and name in taken}
    return named | dict(to_data({**offer.given, **offer.written}))


def test_TABLE_SEED_4_a_preview_says_that_there_are_no_dice_yet(mixed: Table) -> None:
    found = mixed.gm("POST", f"{mixed.at}/previews", ROLL)
    assert json.loads(found.text)["refusal"]["code"] == "dice_not_sealed"
    assert "refusal" not in json.loads(mixed.gm("POST", f"{mixed.at}/previews", ADD).text)

    sealed(mixed)
    assert "refusal" not in json.loads(mixed.gm("POST", f"{mixed.at}/previews", ROLL).text)


STEPS = 5
TRIED = 25
"""Of what is offered in one step so many are decided."""


class NoDice:
    """Dice that nobody has: whoever asks for a face breaks the test."""

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        raise AssertionError(f"{epoch}/{lane}/{stream}#{place} of {sides} was thrown")

    def link(self, lane: int, epoch: int) -> bytes:
        return bytes([lane, *epoch.to_bytes(31, "big")])


NONE = Chance(NoDice())
BOOKS = {
    "heartrush@1": heartrush_opening({"pia": (0, 0), "orc": (1, 0)}, declared_sides=[]),
    "rise@1": rise_opening(entry("pc@heroes/pia", (0, 0)), entry("mon@foes/orc", (1, 0)), declared_sides=[]),
}


BEGIN = ("begin_combat", "start_combat")
IDLE = {"close", "end_combat", "commit_seed", "waive_seed", "reveal_seed"}


def opened(ruleset: Ruleset[Any]) -> Any:
    """Return the state after an opening whose gm owes a seed."""
    data = {**BOOKS[ruleset.edition], "seeding": {"mode": "mixed", "seats": ["gm"]}}
    setup = to_data(secrets_of(eid()).setup(from_data(Seeding, data["seeding"])))
    request = opening_request(ruleset, eid(), setup, data)
    command = from_data(ruleset.opening, request, families=ruleset.families, by=Actor(seat="gm", role="gm"))
    return decide(ruleset.blank, command, NONE).state


def moves(ruleset: Ruleset[Any], state: Any) -> Iterator[tuple[bool, Any]]:
    """Yield every command that is offered to anybody, with whether it may be left."""
    for seat, sitter in state.seats.items():
        for awaited, offers in legal(ruleset, state, seat):
            for offer in offers:
                assert not offer.choices, "each choice is made, so that each can be judged"
                by = Actor(seat=seat, role=sitter.role)
                kind = ruleset.commands[offer.type]
                yield (
                    awaited.optional,
                    from_data(kind, spelled(ruleset, offer), families=ruleset.families, by=by),
                )


@pytest.mark.parametrize("edition", sorted(BOOKS))
def test_TABLE_SEED_4_whatever_is_offered_before_the_seal_is_accepted_and_throws_no_die(edition: str) -> None:
    """Both books are walked at random as far as one comes without dice; what needs one is left out."""
    ruleset: Ruleset[Any] = BOTH[edition]
    state, missing = opened(ruleset), 0
    for step in range(STEPS):
        there = changed(state, sealing=changed(state.sealing, seal="a" * 64))
        found = list(moves(ruleset, state))
        missing += offered(ruleset, there) - len(found)
        assert found
        chance = random.Random(step)
        for _, command in chance.sample(found, min(TRIED, len(found))):
            assert decide(state, command, NONE).refusal is None, (step, command)
        played = [each for each in found if each[1].type not in IDLE]
        begun = [each for each in played if each[1].type in BEGIN][:1]
        owed = begun or [each for each in played if not each[0]] or played
        if not owed:
            break
        state = decide(state, chance.choice(owed)[1], NONE).state
    assert missing, "the walk came to nothing that needs a die"


# --- rulings -------------------------------------------------------------------------------------------


def audited(log: Log, table: Table) -> tuple[str, str]:
    """Return what both verifiers say of a fight."""
    fight = [replace(each, notes=()) for each in stored_fight(log, table.id)]
    raw = b"".join(bundle.write_fight(fight, "gm"))
    return str(verify_fight(fight, BOTH).verdict), judged([Case(raw)])[0]


def test_a_continuation_of_a_sealed_encounter_keeps_its_dice_and_proves_them(mixed: Table, log: Log) -> None:
    sealed(mixed)
    did(mixed, ROLL, ADD, ROLL)
    before = totals(mixed)
    add = mixed.gm.get(mixed.at)["version"] - 1
    after = accepted(
        mixed, made(mixed.gm("POST", f"{mixed.at}/undo", {"to": add - 1, "reason": "no", "preview": True}))
    )
    did(after, ROLL)
    assert totals(after) == before
    did(after, {"type": "end_round"}, {"type": "close", "reason": "enough"})
    assert audited(log, after) == ("valid_unsigned", OTHERWISE)
    assert verify_fight(stored_fight(log, after.id), BOTH).verdict.is_sound


def test_TABLE_SEED_3_no_undo_lets_a_seed_be_chosen_after_another_was_seen(mixed: Table, log: Log) -> None:
    """The gm takes back its own commitment once ada has revealed: it stands all the same."""
    did(mixed, ADD)
    sealed(mixed)
    old = mixed.gm.get(f"{mixed.at}/state")["state"]["sealing"]
    after = accepted(
        mixed, made(mixed.gm("POST", f"{mixed.at}/undo", {"to": 3, "reason": "again", "preview": True}))
    )
    assert after.gm.get(f"{after.at}/state")["state"]["sealing"] == old
    for command in (
        {"type": "commit_seed", "commitment": "a" * 64},
        {"type": "reveal_seed", "seed": "b" * 64},
    ):
        problem = is_problem(after.send(after.gm, command), 409, "command-refused")
        assert problem["code"] == "dice_are_sealed"
    did(after, ROLL, {"type": "close", "reason": "enough"})
    assert audited(log, after) == ("valid_unsigned", OTHERWISE)


def test_TABLE_SEED_3_a_commitment_stands_through_an_undo_and_is_revealed_in_the_new_line(
    mixed: Table, log: Log
) -> None:
    did(mixed, ADD)
    for seat, who in (("ada", mixed.ada), ("gm", mixed.gm)):
        made_ = seat_commitment(UUID(mixed.id).bytes, seat, SEEDS[seat]).hex()
        did(mixed, (who, {"type": "commit_seed", "commitment": made_}))
    did(mixed, (mixed.ada, {"type": "reveal_seed", "seed": SEEDS["ada"].hex()}))
    after = accepted(
        mixed, made(mixed.gm("POST", f"{mixed.at}/undo", {"to": 3, "reason": "again", "preview": True}))
    )
    other = after.send(after.gm, {"type": "reveal_seed", "seed": "ab" * 32})
    assert is_problem(other, 409, "command-refused")["code"] == "seed_does_not_fit"
    did(
        after, {"type": "reveal_seed", "seed": SEEDS["gm"].hex()}, ROLL, {"type": "close", "reason": "enough"}
    )
    assert audited(log, after) == ("valid_unsigned", OTHERWISE)

"""What a host and a gm together can tell about lines of play, and what both verifiers say of it.

The players sign, and their keys are known to the reader. The host has the gm's key in a second role, so it
signs every ruling and acceptance that it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from service.audit.evidence import Evidence
from tests.audit.signed_fights import Told, retold_fight, sealed_fight, signed_fight

Data = dict[str, Any]

COUNTED: Final[Data] = {"type": "counted", "because": ["TINY-ADD"], "by": 9}
LOST: Final[Data] = {"size": 9, "root": "ab" * 32}


@dataclass(frozen=True)
class FightLie:
    """A fight that was told again after it was played."""

    name: str
    says: str
    """What the host and the gm try to do."""
    verdict: str
    change: Callable[[Told], object]
    played: Callable[[], tuple[Evidence, ...]] = signed_fight
    upto: int = 4
    """How many of its lines are shown."""

    def told(self) -> tuple[Evidence, ...]:
        """Return the lines of the fight."""
        return retold_fight(self.played()[: self.upto], self.change)


def _short(told: Told) -> None:
    """Leave the fight where its ruling was accepted."""
    del told[2:]
    del told[1].moments[5:]


def _invented_zero(told: Told) -> None:
    """Let ada add to the counter in the new line, which she never did."""
    _short(told)
    told[1].invent(7, "ada", "add", {"amount": 9}, COUNTED).is_signed = False
    told[1].moments[0].event["plan"].insert(0, 0)
    told[1].moments[0].repeat("plan")


def _without_instead(told: Told) -> None:
    _invented_zero(told)
    del told[0].at(7).request["data"]["instead"]


def _no_objects(told: Told) -> None:
    _invented_zero(told)
    told[0].at(7).request["data"]["instead"].append(5)


def _origin(told: Told, line: int, **changed: Any) -> None:
    begun = told[line].moments[0]
    begun.event["origin"] |= changed
    begun.event["state"]["origin"] |= changed
    begun.repeat("origin", "state")


def _redo_earlier(told: Told) -> None:
    told[3].n = 8
    _origin(told, 3, upto=8)


def _redo_of_another_line(told: Told) -> None:
    told[3].n, told[3].parent = 7, 0
    _origin(told, 3, upto=7, parent=told[0].encounter)


def _true_for_1(told: Told) -> None:
    told[1].at(7).request["data"] = {"amount": True}


def _true_in_a_ruling(told: Told) -> None:
    told[1].at(6).request["data"] = {"amount": True}


def _begun_by(type_: str, *events: Data) -> Callable[[Told], None]:
    def change(told: Told) -> None:
        begun = told[1].moments[0]
        begun.request |= {"type": type_}
        begun.commit["events"] += events

    return change


def _accepted_with_more(told: Told) -> None:
    told[1].at(8).commit["events"].append(COUNTED)


def _by(n: int, seat: str) -> Callable[[Told], None]:
    return lambda told: told[1].at(n).by(seat)


def _both_by_nobody(told: Told) -> None:
    for n in (10, 11):
        told[1].at(n).by("bo")


def _hidden(line: int, n: int) -> Callable[[Told], None]:
    return lambda told: told[line].at(n).hide()


def _played_on(told: Told) -> None:
    del told[2:]
    told[1].invent(11, "bo", "add", {"amount": 9}, COUNTED)
    told[1].moments.append(told[1].moments.pop(-2))


def _played_behind_the_end(told: Told) -> None:
    told[3].invent(12, "bo", "add", {"amount": 9}, COUNTED)
    told[3].moments.append(told[3].moments.pop(-2))


def _dropped(told: Told) -> None:
    amendment = told[1].at(10).event["amendment"]
    event = {"type": "amendment_dropped", "because": [], "amendment": amendment, "why": "dropped"}
    told[1].invent(11, "gm", "drop_amendment", {"amendment": amendment}, event)


def _words(line: int, n: int, **changed: Any) -> Callable[[Told], None]:
    return lambda told: told[line].at(n).request["data"].update(changed)


def _said(line: int, n: int, **changed: Any) -> Callable[[Told], None]:
    return lambda told: told[line].at(n).event.update(changed)


def _in_an_array(told: Told) -> None:
    told[1].at(7).request["batch"] = {"id": "b", "index": 0, "of": 1, "stop": True}


def _contested_elsewhere(told: Told) -> None:
    """Let ada contest another commit than the ruling takes back."""
    contested = told[0].at(6)
    contested.event["commit"] = contested.request["data"]["commit"] = 2


def _above(told: Told) -> None:
    """Put the line that was left last, as if it were the one that is played."""
    first, ruled, undone, redone = told
    for line, upto in ((undone, 8), (redone, 9)):
        line.moments[:0] = ruled.moments[: upto - 3]
    for line in (ruled, undone, redone):
        line.parent, line.n = 0, 3
    told[:] = [first, undone, redone, ruled]


def _not_accepted(told: Told) -> None:
    """Go on from a line that nobody accepted, with the two commands that nobody took back."""
    del told[2:]
    del told[1].moments[4:]


def _from_nowhere(told: Told) -> None:
    _origin(told, 2, parent="00000000-0000-4000-8000-000000000009")


def _state(**changed: Any) -> Callable[[Told], None]:
    """Return what changes the seeds with which a line begins; None: leaves them out."""

    def change(told: Told) -> None:
        begun = told[1].moments[0]
        state = begun.event["state"]
        if changed:
            state["sealing"] |= changed
        else:
            del state["sealing"]
        begun.repeat("state")

    return change


def _lost(type_: str, data: Data, **event: Any) -> Callable[[Told], None]:
    """Return what claims a loss in the first line, by a command of the gm."""
    said = {"type": "epoch_advanced", "because": [], "seat": "gm", "reason": "x", "epoch": 9, "lost": LOST}

    def change(told: Told) -> None:
        told[0].invent(5, "gm", type_, data, {**said, **event})

    return change


FIGHT_LIES: Final = (
    FightLie(
        "instead-left-out",
        "put commands into a ruling that its gm did not put there",
        "seam_broken(4)",
        _without_instead,
        upto=2,
    ),
    FightLie(
        "instead-of-no-object",
        "put a command where a ruling has none that can be read",
        "seam_broken(7)",
        _no_objects,
        upto=2,
    ),
    FightLie(
        "ruled-elsewhere",
        "have a ruling of one line change another one",
        "malformed(4)",
        lambda told: _origin(told, 1, ruled_in=told[0].encounter),
        upto=2,
    ),
    FightLie(
        "ruled-on-another-commit",
        "take back another commit than the player contested",
        "seam_broken(4)",
        _contested_elsewhere,
        upto=2,
    ),
    FightLie("redo-of-less", "redo less than the undo took back", "seam_broken(9)", _redo_earlier),
    FightLie("redo-of-another-line", "redo what another line had", "seam_broken(8)", _redo_of_another_line),
    FightLie(
        "undo-without-a-redo",
        "say that an undo cannot be reversed, and reverse it",
        "seam_broken(10)",
        lambda told: _origin(told, 2, levels=0),
    ),
    FightLie(
        "levels-of-another-type",
        "count the undos of a line in words",
        "seam_broken(10)",
        lambda told: _origin(told, 2, levels="1"),
    ),
    FightLie(
        "true-for-1", "turn a 1 into true in what a line repeats", "seam_broken(7)", _true_for_1, upto=2
    ),
    FightLie(
        "true-in-a-ruling",
        "turn a 1 into true in what a ruling puts there",
        "seam_broken(6)",
        _true_in_a_ruling,
        upto=2,
    ),
    FightLie(
        "begun-by-another-command",
        "begin a line by a command that waives a seed",
        "forged_command(4)",
        _begun_by("waive_seed"),
        upto=2,
    ),
    FightLie(
        "more-where-it-begins",
        "play where a line begins, where nobody signs",
        "malformed(4)",
        _begun_by("begin_line", COUNTED),
        upto=2,
    ),
    FightLie(
        "more-where-it-is-accepted",
        "play where a line is accepted",
        "malformed(8)",
        _accepted_with_more,
        upto=2,
    ),
    FightLie(
        "undone-by-nobody",
        "undo in the name of a seat without a key",
        "forged_command(10)",
        _both_by_nobody,
        upto=2,
    ),
    FightLie(
        "accepted-by-nobody",
        "accept a line in the name of a seat without a key",
        "forged_command(11)",
        _by(11, "bo"),
        upto=2,
    ),
    FightLie("undone-by-a-player", "let a player undo", "forged_command(10)", _by(10, "ada"), upto=2),
    FightLie(
        "acceptance-hidden",
        "hide who accepted a line beside a seal",
        "forged_command(11)",
        _hidden(1, 11),
        upto=2,
    ),
    FightLie("undo-hidden", "hide who undid beside a seal", "forged_command(10)", _hidden(1, 10), upto=2),
    FightLie("key-hidden", "hide who set a key beside a seal", "forged_command(3)", _hidden(0, 3), upto=1),
    FightLie(
        "contest-hidden", "hide who contested beside a seal", "forged_command(6)", _hidden(0, 6), upto=1
    ),
    FightLie("played-on", "play on in a line that was left", "forged_command(12)", _played_on, upto=2),
    FightLie(
        "played-behind-the-end",
        "play on behind the end, with the dice that it disclosed",
        "forged_command(13)",
        _played_behind_the_end,
    ),
    FightLie("dropped", "drop a proposal, and accept it", "seam_broken(9)", _dropped),
    FightLie(
        "repeated-with-a-contest",
        "let a repeated command answer a contest",
        "seam_broken(7)",
        _words(1, 7, contest="c9"),
        upto=2,
    ),
    FightLie(
        "repeated-in-an-array",
        "let a repeated command be one of an array",
        "seam_broken(7)",
        _in_an_array,
        upto=2,
    ),
    FightLie(
        "another-reason",
        "give an undo another reason",
        "forged_command(10)",
        _said(1, 10, reason="ada asked for it"),
        upto=2,
    ),
    FightLie(
        "another-decision",
        "give a ruling other words",
        "forged_command(7)",
        _said(0, 7, decision="ada lost"),
        upto=1,
    ),
    FightLie(
        "another-contest",
        "answer another contest than the gm did",
        "forged_command(7)",
        _words(0, 7, contest="c7"),
        upto=1,
    ),
    FightLie(
        "another-commit-contested",
        "contest another commit than the player did",
        "forged_command(6)",
        _said(0, 6, commit=2),
        upto=1,
    ),
    FightLie(
        "another-claim",
        "put other words into a player's contest",
        "forged_command(6)",
        _said(0, 6, claim="I cheated"),
        upto=1,
    ),
    FightLie(
        "contest-of-another-seat",
        "contest in the name of another seat",
        "forged_command(6)",
        _said(0, 6, seat="bo"),
        upto=1,
    ),
    FightLie(
        "played-line-above", "show a line that was left as the one that is played", "seam_broken(9)", _above
    ),
    FightLie("goes-on-from-a-draft", "show a line that nobody accepted", "not_accepted(4)", _not_accepted),
    FightLie("from-nowhere", "go on from a line that is not the proposal's", "malformed(9)", _from_nowhere),
    FightLie(
        "sealing-left-out",
        "leave out the seeds where a line begins",
        "seam_broken(6)",
        _state(),
        sealed_fight,
    ),
    FightLie(
        "sealing-opened-again",
        "open the dice again where a line begins",
        "seam_broken(6)",
        _state(seal=""),
        sealed_fight,
    ),
    FightLie(
        "sealing-waived",
        "waive a seed where a line begins",
        "seam_broken(6)",
        _state(waived=["ada"]),
        sealed_fight,
    ),
    FightLie(
        "sealing-of-a-prototype",
        "add a name that readers have already, where a line begins",
        "seam_broken(6)",
        _state(__proto__={}),
        sealed_fight,
    ),
    FightLie(
        "seed-of-another-seat",
        "reveal a seed in the name of another seat",
        "forged_command(5)",
        _said(0, 5, seat="bo"),
        sealed_fight,
        upto=1,
    ),
    FightLie(
        "seed-other-than-revealed",
        "record another seed than was revealed",
        "forged_command(5)",
        _said(0, 5, seed="ab" * 32),
        sealed_fight,
        upto=1,
    ),
    FightLie(
        "loss-by-a-player",
        "declare a loss in the commit of another command",
        "forged_command(5)",
        _lost("add", {"amount": 1}),
        upto=1,
    ),
    FightLie(
        "loss-by-an-advance",
        "declare a loss where the gm only moved the dice",
        "forged_command(5)",
        _lost("advance_epoch", {"reason": "x"}),
        upto=1,
    ),
    FightLie(
        "loss-of-more",
        "declare more lost than the gm accepted",
        "forged_command(5)",
        _lost("accept_history", {"reason": "x", "lost": {**LOST, "size": 6}, "epoch": 1}),
        upto=1,
    ),
)
"""Each of them, in an order for readers."""

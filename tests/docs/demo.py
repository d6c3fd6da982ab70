"""Make the fight that can be looked at without a service, examples/replay.html, from the record beside it.

`python -m tests.docs.demo` writes the page again, after a change to the page of a fight. `python -m
tests.docs.demo record` plays another fight first: a hero is hurt, her player contests the orc's stance, the
gm decides it again, and both sides fight on.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rewound_client import Problem, values_of
from service.cli.playing import ScriptTable, play
from service.cli.replay_page import page_of
from service.cli.script import sample
from tests.cli.fights import served

RECORD: Final = Path(__file__).parents[2] / "examples" / "replay.jsonl"
PAGE: Final = RECORD.with_suffix(".html")
HEAVIEST: Final = 300_000
"""The most bytes of the page."""
ATTEMPTS: Final = 30
"""How many fights are begun until one has what is told."""
STEPS: Final = 50
HEROES: Final = frozenset({"pia", "ash"})
FOES: Final = frozenset({"orc", "hound"})
EAGER: Final = (
    "declare_attack",
    "choose_stance",
    "join_engagement",
    "engage",
    "accept_",
    "choose_",
    "decline_",
    "pass",
)
"""What is done first where several commands are offered, by the beginning of the type."""


def recorded() -> bytes:
    """Return the bundle of a fight with a contest and a ruling, played to its end."""
    with TemporaryDirectory() as home, served(Path(home)) as service:
        for _ in range(ATTEMPTS):
            table = service.sit_down(sample("s002").seeded())
            stance = stance_of(table)
            if stance is not None:
                _contested(table, stance)
                _fought_on(table)
                return _closed(table)
    raise AssertionError("no hero was hurt")


def stance_of(table: ScriptTable) -> int | None:
    """Play the script; the number of the orc's choice of a stance, None if it then hurt nobody."""
    stance = None
    for moment in play(table, sample("s002").seeded(), by_script=False):
        if moment.send["type"] == "choose_stance" and moment.send["creature"] == "orc":
            stance = moment.outcome["n"]
        hurt = {
            each["creature"] for each in moment.outcome.get("events", ()) if each["type"] == "damage_applied"
        }
        if hurt & HEROES:
            return stance
    return None


def _contested(table: ScriptTable, stance: int) -> None:
    """Have a player contest the orc's stance, and the gm decide it again."""
    gm, zoe = table.gm, table.seats["zoe"]
    contest = zoe.contest(stance, "You announced cunning for the orc.")["contest"]
    command = {"type": "choose_stance", "creature": "orc", "prompt": "r1/e1/stance/orc", "stance": "cunning"}
    ruled = gm.rule(contest, "as_ruled", "I did: cunning it is.", instead=[command])["amendment"]
    assert ruled is not None
    gm.accept(ruled, gm.amendment(ruled)["version"])


def _fought_on(table: ScriptTable) -> None:
    """Answer what is asked, attacks first, until the fight is over."""
    for step in range(STEPS):
        asked = [seat for each in table.gm.get()["waiting"] if (seat := each["seat"]) is not None]
        offers = [
            (seat, _chosen(offer, step))
            for seat in dict.fromkeys(asked)
            for option in table.seats[seat].options()["options"]
            for offer in option["commands"]
            if "asks" not in offer
        ]
        offers.sort(key=lambda offer: _eagerness(offer[1]))
        if not offers:
            return
        for seat, command in offers:
            try:
                table.seats[seat].send(command)
            except Problem:
                continue
            break


def _chosen(offer: Mapping[str, Any], step: int) -> dict[str, Any]:
    """Return a command of an offer: on the other side where it has a target, one stance after the other."""
    found = dict(offer["command"])
    others = FOES if found.get("creature") in HEROES else HEROES
    for name, choice in offer["choices"].items():
        values = values_of(choice)
        against = [each for each in values if isinstance(each, str) and each in others]
        found[name] = (against or values)[
            step % len(against or values) if name in {"stance", "target"} else 0
        ]
    return found


def _eagerness(command: Mapping[str, Any]) -> tuple[bool, int]:
    own = HEROES if command.get("creature") in HEROES else FOES
    found = (i for i, begins in enumerate(EAGER) if command["type"].startswith(begins))
    return command.get("target") in own, next(found, len(EAGER))


def _closed(table: ScriptTable) -> bytes:
    table.gm.close("the fight is over")
    table.gm.checkpoint()
    return table.gm.bundle()


def page() -> str:
    """Return the page that replays the record."""
    return page_of(RECORD.name, RECORD.read_bytes())[0]


def main(*asked: str) -> None:
    """Write the page, after another record if that is asked for."""
    if asked == ("record",):
        RECORD.write_bytes(recorded())
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

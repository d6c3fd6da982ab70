"""Golden bundles: fights as they were recorded once, which every later build must audit as it did then.

`python -m tests.audit.golden` (make golden) records them again, with what an audit says of each. That
is right where a rulebook decides otherwise on purpose, and never otherwise: the changelog says so under
**Rulebook**, and once an edition is released it is a new revision instead, and the old bundles stay.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from service.audit import bundle
from service.audit.certificate import certificate
from service.audit.evidence import Evidence, stored
from service.audit.fight import verify_fight
from service.dice.chain import seat_commitment
from service.record.canonical import eid_of
from service.rules.heartrush import HEARTRUSH
from service.rules.registry import REGISTRY
from tests.audit.games import signed, signed_throughout, written
from tests.core.undoing import opened, started
from tests.rules.heartrush.recorded import Recorded as HeartrushFight
from tests.rules.rise.campaign import Recorded as RiseFight
from tests.support.in_process_service import House, random_command
from tests.support.tiny_table import SIGNER

HOME: Final = Path(__file__).parent / "golden"
AUDITS: Final = HOME / "audits.json"
COMMANDS: Final = 70

Audit = dict[str, Any]


SEEDS: Final = {"zoe": b"z" * 32, "gm": b"g" * 32}


class Open(HeartrushFight):
    """A fight that opens every envelope when it closes, so that all of it can be decided again."""

    def opening(self) -> dict[str, Any]:
        drawn = super().opening()
        return drawn | {"options": drawn["options"] | {"open_at_close": "all"}}


class Mixed(Open):
    """A fight whose seats have added to its dice: two commit and reveal, one is waived."""

    def opening(self) -> dict[str, Any]:
        return super().opening() | {"seeding": {"mode": "mixed", "seats": ["zoe", "max", "gm"]}}

    def open(self) -> Mixed:
        super().open()
        for seat, seed in SEEDS.items():
            made = seat_commitment(eid_of(self.record.folded.encounter), seat, seed).hex()
            self._must("commit_seed", seat, commitment=made)
        self._must("waive_seed", "gm", seat="max", reason="not here yet")
        for seat, seed in SEEDS.items():
            self._must("reveal_seed", seat, seed=seed.hex())
        return self

    def _must(self, type_: str, seat: str, /, **data: object) -> None:
        refusal = self.attempt(type_, seat, data)
        assert refusal is None, f"{type_} of {seat}: {refusal}"


def heartrush(timing: str) -> Any:
    """Return a fight of Heart Rush."""
    return Open(5, timing=timing, many=3, budget=COMMANDS)


def rise() -> Any:
    """Return a fight of Rise."""
    return RiseFight(11, 4, budget=COMMANDS)


def played(game: Any, *, is_closed: bool = True) -> Evidence:
    """Return the evidence of a fight, played now."""
    game.play()
    if is_closed:
        game.close()
    return signed(game.record.folded.encounter, game.record)


def redone() -> list[Evidence]:
    """Return a fight half of which was undone and redone, then played on and closed."""
    random = Random("golden")
    with House() as house:
        line = opened(house, HEARTRUSH.edition, random)
        started(house, line)
        for _ in range(COMMANDS):
            assert random_command(house, line, random)
        last = len(house.commits(line))
        undone = house.accept(line, house.proposed(line, "undo", commit=last // 2))
        again = house.accept(undone, house.proposed(undone, "redo"))
        for _ in range(COMMANDS // 4):
            assert random_command(house, again, random)
        house.send(again, "gm", "close", reason="enough")
        return [signed_throughout(stored(house.log, each)) for each in (line, undone, again)]


FIGHTS: Final[dict[str, tuple[Callable[[], Evidence | list[Evidence]], str]]] = {
    "heartrush-priority": (lambda: played(heartrush("priority")), "gm"),
    "heartrush-turns": (lambda: played(heartrush("turns")), "gm"),
    "heartrush-running": (lambda: played(heartrush("priority"), is_closed=False), "gm"),
    "heartrush-mixed": (lambda: played(Mixed(8, many=3, budget=COMMANDS)), "gm"),
    "heartrush-redone": (redone, "gm"),
    "rise": (lambda: played(rise()), "gm"),
    "rise-running": (lambda: played(rise(), is_closed=False), "gm"),
}
"""By name: the fight, and for whom its bundle is written. Some sides throw their own dice."""


def recorded() -> Iterator[tuple[str, bytes]]:
    """Yield each fight's name and its bundle, played now."""
    for name, (fight, seat) in FIGHTS.items():
        yield name, written(fight(), seat)


def audit_of(raw: bytes) -> Audit:
    """Return what an audit says of a bundle, but for what another build of the same rules says otherwise."""
    data = certificate(verify_fight(bundle.read_fight(raw, pinned=[SIGNER.public]), REGISTRY))
    members = ("verdict", "log", "decided", "counts", "lines", "decisions", "seats", "dice")
    return {name: data[name] for name in members}


def main() -> int:
    """Record all of them again."""
    audits: dict[str, Audit] = {}
    for name, raw in recorded():
        (HOME / f"{name}.jsonl").write_bytes(raw)
        audits[name] = audit_of(raw)
        sys.stdout.write(f"{name}: {len(raw)} bytes, {audits[name]['verdict']['text']}\n")
    AUDITS.write_text(json.dumps(audits, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

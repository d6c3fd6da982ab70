"""Play games at random for audits: tiny ones by the dozen, and a fight of each rulebook; all signed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.held import Held, judge
from service.audit.signing import VouchedKey
from service.audit.verdict import Verdict
from service.core.fold import Registry
from service.record.digest import ruleset_digest
from service.rules.registry import REGISTRY
from tests.audit.evidence_of import root_of
from tests.rules.heartrush.recorded import Recorded as HeartrushFight
from tests.rules.rise.campaign import Recorded as RiseFight
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER, Sitting, player

RULES: Final[Registry] = {**REGISTRY, TINY.edition: TINY}
GAMES: Final = 24
"""Tiny games to choose from, beside one fight of each rulebook."""

BIG_SHARE: Final = 0.05


@cache
def tiny_game(seed: int) -> Evidence:
    """Return a closed game that is drawn from *seed*, with its epochs and its end signed."""
    rng = random.Random(f"game {seed}")
    sitting = Sitting()
    sitting.open(digest=ruleset_digest(TINY))
    for _ in range(rng.randrange(6, 24)):
        play_on(sitting, rng)
    sitting.do("close", reason="enough")
    return signed(sitting.encounter, sitting)


def play_on(sitting: Sitting, rng: random.Random) -> None:
    """Send any command, legal or not."""
    kind = rng.choice(("add", "add", "roll", "roll", "choose", "choose", "end_round"))
    if kind == "add":
        sitting.do("add", amount=rng.randrange(1, 12))
    elif kind == "roll":
        sitting.do("roll", sides=rng.choice((4, 6, 20)))
    elif kind == "choose":
        sitting.do("choose", player(rng.choice(("ada", "bo"))), number=rng.randrange(1, 9))
    else:
        sitting.do("end_round")


@cache
def big_game(number: int) -> Evidence:
    """Return a closed fight of Heart Rush or of Rise."""
    fight: Any = HeartrushFight(2, many=2, budget=60) if number == 0 else RiseFight(2, 2, budget=60)
    fight.play()
    fight.close()
    return signed(fight.record.folded.encounter, fight.record)


def signed(encounter: str, game: Any) -> Evidence:
    """Return the evidence of *game*, each close of an epoch and the end signed."""
    opened = {(written.n, index): lies for written in game.written for index, lies in written.sealed}
    commits = [written.raw for written in game.written]
    return signed_throughout(
        Evidence(
            encounter=encounter,
            requests=list(game.requests),
            commits=commits,
            opened=opened,
            count=len(commits),
            head=game.written[-1].hash,
        )
    )


def signed_throughout(evidence: Evidence) -> Evidence:
    """Return *evidence* with each close of an epoch and the end signed, each by the line that has it."""
    commits = evidence.commits
    sizes = {n for n, raw in enumerate(commits, 1) if b"epoch_closed" in raw or b"encounter_closed" in raw}
    sizes |= {len(commits)} if any(b'"continued"' in raw for raw in commits) else set()
    notes = (
        SIGNER.checkpoint(evidence.line_at(size), size, root_of(commits[:size])) for size in sorted(sizes)
    )
    return replace(evidence, notes=tuple(notes), keys=(VouchedKey(SIGNER.origin, SIGNER.public),))


def any_game(rng: random.Random) -> Evidence:
    """Return one of the games."""
    if rng.random() < BIG_SHARE:
        return big_game(rng.randrange(2))
    return tiny_game(rng.randrange(GAMES))


def written(evidence: Evidence | Sequence[Evidence], seat: str = "gm") -> bytes:
    """Return the bundle of *evidence*, one record or every line of a fight, for *seat*."""
    fight = [evidence] if isinstance(evidence, Evidence) else evidence
    return b"".join(bundle.write_fight(fight, seat))


def judged(raw: bytes, held: Held = Held()) -> Verdict:  # noqa: B008 - it is immutable
    """Return what `rewound verify` says of a file, against what is *held*."""
    return judge(raw, held, RULES).verdict

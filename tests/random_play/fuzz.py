"""Play random fights of both rulesets, many seeds of every kind, and report what breaks: `make fuzz`.

`python -m tests.random_play.fuzz 500` plays seeds 0 to 499 of every kind; `… 1 7 duel` plays seed 7 of
one kind, and `… 1 7 all` seed 7 of every kind, whatever rules take part. A failure is printed with its
kind, its seed and the fewest commands that bring it. The exit status is 1 if anything failed, or a rule
never took part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.random_play.shrinking import story
from tests.rules.heartrush import test_every_rule as heartrush
from tests.rules.heartrush.plays import KINDS, probed
from tests.rules.rise import test_every_rule as rise
from tests.rules.rise.campaign import Campaign, Recorded
from tests.rules.rise.moving import test_permutations as permutations
from tests.rules.rise.scenes import SCENES, Scene, Staged

SEEDS: Final = 40
ORDERS: Final = "rise-order"
"""The kind of which each seed is many fights: one for every order of the groups."""


def _heartrush(kind: str) -> Callable[[int], Any]:
    return lambda seed: probed(kind, seed)


def _scene(scene: Scene) -> Callable[[int], Campaign]:
    return lambda seed: Staged(seed, scene=scene)


FIGHTS: Final[Mapping[str, Callable[[int], Any]]] = {
    **{kind: _heartrush(kind) for kind in KINDS},
    **{f"rise: {scene.name}": _scene(scene) for scene in SCENES},
    "rise": rise.campaign,
    "rise-forty": lambda seed: Recorded(seed, 40, budget=150),
}
"""What makes a fight of each kind; the fights of Recorded must audit valid too."""
PLAYS: Final = (*FIGHTS, ORDERS)


def played(kind: str, seed: int) -> set[str]:
    """Play a fight and return the rules that took part; raises for what is wrong."""
    if kind == ORDERS:
        permutations.hold(seed)
        return set()
    fight = FIGHTS[kind](seed)
    found = rise.fired_in(fight) if isinstance(fight, Campaign) else heartrush.fired_in(fight)
    fight.finish()
    return found


def told(kind: str, seed: int) -> str:
    """Return what the failure in hand is, and the commands that bring it, where one fight does."""
    make = FIGHTS.get(kind)
    return story(kind, seed, None if make is None else lambda: make(seed))


def main(seeds: int, first: int = 0, *kinds: str) -> int:
    """Play, print what came with which seed, and return 1 if anything failed or a rule never took part."""
    missing = (set(heartrush.OURS) - heartrush.NEVER.keys()) | (set(rise.OURS) - rise.NEVER.keys())
    failed = 0
    for seed in range(first, first + seeds):
        for kind in PLAYS if kinds in {(), ("all",)} else kinds:
            try:
                found = missing & played(kind, seed)
            except Exception:  # noqa: BLE001 - whatever breaks is what is looked for
                failed += 1
                sys.stdout.write(told(kind, seed))
                continue
            missing -= found
            if found:
                sys.stdout.write(f"{kind} {seed}: {len(found)} more, {len(missing)} to come\n")
        sys.stdout.write(f"seed {seed}: {failed} failed\n")
        sys.stdout.flush()
    if not kinds:
        sys.stdout.write(f"never: {', '.join(sorted(missing)) or 'none'}\n")
    return 1 if failed or (missing and not kinds) else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main(*(int(word) for word in words[:2]) if words else (SEEDS,), *words[2:]))

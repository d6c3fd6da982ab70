"""Play random fights of both rulesets, many seeds of every kind, and report what breaks: `make fuzz`.

`python -m tests.fuzz 500` plays seeds 0 to 499 of every kind; `python -m tests.fuzz 1 7 duel` plays seed 7
of one, and `python -m tests.fuzz 1 7 all` seed 7 of every kind, whatever rules take part. A failure is told
with its kind and seed, and for Heart Rush with the fewest commands that bring it. The exit status is 1 if
anything failed, or a rule never took part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from tests.heartrush import test_every_rule as heartrush
from tests.heartrush.plays import KINDS, probed
from tests.heartrush.sifting import story
from tests.rise import test_every_rule as rise
from tests.rise import test_permutations as permutations
from tests.rise.campaign import Recorded

SEEDS: Final = 40


def _heartrush(kind: str) -> Callable[[int], set[str]]:
    return lambda seed: heartrush.fired_in(probed(kind, seed))


def _held(seed: int) -> set[str]:
    permutations.hold(seed)
    return set()


def _forty(seed: int) -> set[str]:
    """Play 40 creatures at random, kept as a record that must audit valid."""
    played = Recorded(seed, 40, budget=150)
    played.play()
    played.close()
    rise.assert_sound(played.record)
    return set()


PLAYS: Final[dict[str, Callable[[int], set[str]]]] = {
    **{kind: _heartrush(kind) for kind in KINDS},
    "rise": lambda seed: rise.fired_in(rise.campaign(seed)),
    "rise-order": _held,
    "rise-forty": _forty,
}


def main(seeds: int, first: int = 0, *kinds: str) -> int:
    """Play, print what came with which seed, and return 1 if anything failed or a rule never took part."""
    missing = (set(heartrush.OURS) - heartrush.NEVER.keys()) | (set(rise.OURS) - rise.NEVER.keys())
    failed = 0
    for seed in range(first, first + seeds):
        for kind in PLAYS if kinds in {(), ("all",)} else kinds:
            try:
                found = missing & PLAYS[kind](seed)
            except Exception:  # noqa: BLE001 - whatever breaks is what is looked for
                failed += 1
                sys.stdout.write(story(kind, seed))
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
    told = sys.argv[1:]
    sys.exit(main(*(int(word) for word in told[:2]) if told else (SEEDS,), *told[2:]))

"""Try mutants, clean bundles and causes by the thousand, and tell every one that an audit judged wrongly.

`python -m tests.audit.mutations [COUNT]` (make mutations) tries COUNT mutants, a tenth as many clean bundles
and every cause; a sample runs with the tests. Every failure names the seed that makes it again.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence

from service.audit.verdict import VALID_UNSIGNED
from tests.audit.causes import matrix, off_diagonal
from tests.audit.games import any_game, judged, tiny_game, written
from tests.audit.mutants import mutant_of


def missed(seeds: Sequence[int]) -> list[str]:
    """Return every mutant that was not found, or was found as something else."""
    found: list[str] = []
    for seed in seeds:
        mutant = mutant_of(seed)
        verdict = judged(mutant.raw, mutant.held)
        if not mutant.is_found_in(verdict):
            wanted = "/".join(sorted(mutant.names))
            found.append(f"seed {seed}: {mutant.kind} is {verdict}, not {wanted} at {mutant.n}")
    return found


def alarms(seeds: Sequence[int]) -> list[str]:
    """Return every clean bundle in which something was found."""
    found: list[str] = []
    for seed in seeds:
        rng = random.Random(f"clean {seed}")
        evidence = any_game(rng) if rng.random() < 0.1 else tiny_game(seed)
        seat = rng.choice(("gm", "ada", "somebody"))
        verdict = judged(written(evidence, seat))
        if verdict.name != VALID_UNSIGNED:
            found.append(f"seed {seed}: clean, and {verdict} for {seat}")
    return found


def main() -> int:
    """Try as many mutants as the first argument says, a tenth as many clean bundles, and causes.

    The second argument is the first seed.
    """
    count, start = (*map(int, sys.argv[1:]), *(10_000, 0)[len(sys.argv) - 1 :])
    kinds = Counter(mutant_of(seed).kind for seed in range(start, start + min(count, 1_000)))
    wrong = missed(range(start, start + count)) + alarms(range(start, start + count // 10))
    table = matrix(range(start, start + max(1, count // 50)))
    wrong += off_diagonal(table)
    shares = ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))
    say = sys.stdout.write
    say("".join(f"{line}\n" for line in wrong))
    say("".join(f"{cause:<18} {dict(found)}\n" for cause, found in table.items()))
    say(f"{count} mutants (of the first 1,000: {shares}), {count // 10} clean bundles: {len(wrong)} wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

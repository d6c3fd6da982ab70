"""Golden bundles: fights as they were recorded once, which every later build must audit as it did then.

`python -m tests.audit.golden` (make golden) records them anew, and with them what an audit says of each. That
is right where a rulebook decides otherwise on purpose, and never otherwise: the changelog says so under
**Rulebook**, and once an edition is released it is a new revision instead, and the old bundles stay.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from service.audit import bundle
from service.audit.certificate import certificate
from service.audit.verify import verify
from service.rules.shelf import SHELF
from tests.audit.games import signed, written
from tests.encounter.sitting import SIGNER
from tests.heartrush.recorded import Recorded as HeartrushFight
from tests.rise.campaign import Recorded as RiseFight

HOME: Final = Path(__file__).parent / "golden"
TOLD: Final = HOME / "told.json"
COMMANDS: Final = 70

Told = dict[str, Any]


def heartrush(timing: str) -> Any:
    """Return a fight of Heart Rush."""
    return HeartrushFight(5, timing=timing, many=3, budget=COMMANDS)


def rise() -> Any:
    """Return a fight of Rise."""
    return RiseFight(5, 4, budget=COMMANDS)


FIGHTS: Final[dict[str, tuple[Callable[[], Any], str, bool]]] = {
    "heartrush-priority": (lambda: heartrush("priority"), "gm", True),
    "heartrush-turns": (lambda: heartrush("turns"), "gm", True),
    "heartrush-running": (lambda: heartrush("priority"), "gm", False),
    "rise": (rise, "gm", True),
    "rise-running": (rise, "gm", False),
}
"""By name: the fight, for whom its bundle is written, whether it was closed."""


def recorded() -> Iterator[tuple[str, bytes]]:
    """Yield each fight's name and its bundle, played now."""
    for name, (fight, seat, is_closed) in FIGHTS.items():
        game = fight()
        game.play()
        if is_closed:
            game.close()
        yield name, written(signed(game.record.folded.encounter, game.record), seat)


def told_of(raw: bytes) -> Told:
    """Return what an audit says of a bundle, but for what another build of the same rules says otherwise."""
    data = certificate(verify(bundle.read(raw, pinned=[SIGNER.public]), SHELF))
    return {name: data[name] for name in ("verdict", "log", "decided", "counts", "rulings", "seats", "dice")}


def main() -> int:
    """Record all of them anew."""
    told: dict[str, Told] = {}
    for name, raw in recorded():
        (HOME / f"{name}.jsonl").write_bytes(raw)
        told[name] = told_of(raw)
        sys.stdout.write(f"{name}: {len(raw)} bytes, {told[name]['verdict']['text']}\n")
    TOLD.write_text(json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Look at holds and climbs again after every move of either end, and when the map changes between them.

A hold lasts while the two are next to each other, a climb while its climber is in the space of its mount.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.size_and_bonds import grappler_of, mount_of
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.climbing import CameOff
from service.rules.heartrush.moving.grapple import Freed
from service.rules.kernel.messages import Emits
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.space.grid import cells

HR_GRAP_8: Final = Rule(
    "HR-GRAP-8",
    "A hold ends when the two are not next to each other any more, whatever has moved either of them.",
    RULING,
    left_open="the ledger has holds, and not what ends one whose two are moved apart",
)
HR_CLIMB_2: Final = Rule(
    "HR-CLIMB-2",
    "A climb ends when its climber is not in the space of its mount any more; a mount carries its climbers.",
    RULING,
    left_open="the ledger has climbs on creatures, and not what ends one that nobody lets go of",
)


def look_at_bonds(state: State, reason: str = "parted") -> Emits[State]:
    """Emit the end of each hold and climb whose two ends are apart."""
    for name, creature in state.creatures.items():
        if not creature.conditions:
            continue
        if is_out_of_hold(state, creature):
            state = yield Freed(creature=name, because=(HR_GRAP_8.id,))
        if is_off_mount(state, state.creatures[name]):
            state = yield CameOff(creature=name, reason=reason, because=("HR-COND-23", HR_CLIMB_2.id))
    return state


@enforces(HR_GRAP_8)
def is_out_of_hold(state: State, captive: Creature) -> bool:
    """Return whether *captive* is held by somebody who does not reach it any more."""
    grappler = grappler_of(state, captive)
    return grappler is not None and not is_adjacent(state, grappler, captive)


@enforces(HR_CLIMB_2)
def is_off_mount(state: State, climber: Creature) -> bool:
    """Return whether *climber* climbs on somebody in whose space it is not."""
    mount = mount_of(state, climber)
    return mount is not None and climber.position not in cells(mount.position, mount.space)

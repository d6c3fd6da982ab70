"""Say what abilities may require: the closed family of requirements.

A requirement looks at the state, at the moment the use answers, and at what was said; it never changes
anything.
"""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.creatures.weapons import wielded
from service.rules.heartrush.engagements.scene import engagement_open
from service.rules.heartrush.operations.saying import held_by, participants, whom
from service.rules.heartrush.sheets.abilities import Requirement, Use
from service.rules.heartrush.state import State
from service.rules.kernel.records import record
from service.rules.kernel.sealed import is_closed
from service.rules.space.grid import centre


@record
class Engaged(Requirement[State]):
    """The user is in the open engagement."""

    kind: ClassVar[str] = "engaged"

    def lacking(self, state: State, use: Use) -> str | None:
        return None if use.creature in participants(state) else f"{use.creature} is in no engagement"


@record
class InStance(Requirement[State]):
    """The user has shown one of these stances."""

    kind: ClassVar[str] = "in_stance"
    stances: tuple[str, ...]

    def lacking(self, state: State, use: Use) -> str | None:
        frame = engagement_open(state)
        part = frame.participants.get(use.creature) if frame else None
        shown = part.stance if part else None
        if shown is not None and not is_closed(shown) and shown in self.stances:
            return None
        return f"{use.creature} is not in {' or '.join(self.stances)}"


@record
class Plays(Requirement[State]):
    """The moment is about the user in this role: `attacker`, `defender`, `hitter`, `hurt`."""

    kind: ClassVar[str] = "plays"
    role: str

    def lacking(self, state: State, use: Use) -> str | None:
        return None if use.about.get(self.role) == use.creature else f"{use.creature} is not the {self.role}"


@record
class Wields(Requirement[State]):
    """The weapon in hand is of this kind."""

    kind: ClassVar[str] = "wields"
    size_class: str | None = None
    attack_type: str | None = None

    def lacking(self, state: State, use: Use) -> str | None:
        weapon = wielded(state.creatures[use.creature])
        fits = self.size_class in (None, weapon.size_class) and self.attack_type in (None, weapon.attack_type)
        return None if fits else f"{weapon.id} will not do"


@record
class AtZero(Requirement[State]):
    """Somebody the moment is about is at zero hit points or below."""

    kind: ClassVar[str] = "at_zero"
    who: str = "hurt"

    def lacking(self, state: State, use: Use) -> str | None:
        found = whom(state, use, self.who)
        down = any(state.creatures[name].hp <= 0 for name in found)
        return None if down else f"the {self.who} has hit points left"


@record
class NoDamage(Requirement[State]):
    """The attack the moment is about does no damage."""

    kind: ClassVar[str] = "no_damage"

    def lacking(self, state: State, use: Use) -> str | None:
        return None if int(use.about.get("excess", 1)) <= 0 else "the attack gets through"


@record
class Holding(Requirement[State]):
    """The user holds somebody in a grapple."""

    kind: ClassVar[str] = "holding"

    def lacking(self, state: State, use: Use) -> str | None:
        return None if held_by(state, use.creature) else f"{use.creature} holds nobody"


@record
class Behind(Requirement[State]):
    """The creature named stands next to the user, on the side away from the attacker."""

    kind: ClassVar[str] = "behind"
    param: str

    def lacking(self, state: State, use: Use) -> str | None:
        named = use.params.get(self.param)
        if named is None:  # nothing was said yet: somebody only asks whether it could be used at all
            return None
        user, attacker = state.creatures[use.creature], state.creatures[str(use.about["attacker"])]
        target = state.creatures[named]
        here = centre(user.position, user.space)
        front, back = centre(attacker.position, attacker.space), centre(target.position, target.space)
        onward = (here[0] - front[0]) * (back[0] - here[0]) + (here[1] - front[1]) * (back[1] - here[1])
        behind = onward > 0 and state.distance(user, target) <= 5
        return None if behind else f"{named} is not behind {use.creature}"

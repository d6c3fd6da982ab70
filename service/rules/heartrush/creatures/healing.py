"""Heal creatures: hit points rise as far as their wounds allow, and who is above zero again wakes.

Every gain of hit points comes through `heal`; nothing here asks where it came from.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import record, sealable
from service.rules.kernel.rulebook import Rule, enforces

HR_REST_6: Final = Rule(
    "HR-REST-6",
    "Whatever heals stops at what wounds leave of the maximum; the dead stay dead.",
    (books.RESTS.at("Healing"), books.MECHANICS.at("Wounds")),
)
HR_WND_1: Final = Rule(
    "HR-WND-1",
    "Hit points gained stop at the maximum less the ranks of all wounds, and never fall by it.",
    books.MECHANICS.at("Wounds"),
    settles=("A-22",),
)
HR_ZERO_5: Final = Rule(
    "HR-ZERO-5",
    "An unconscious creature stays so until its hit points are above zero, and then wakes by itself.",
    books.MECHANICS.at("Zero Hit Points"),
)


@record
class Healed(Event[State]):
    """A creature regained hit points; what its wounds did not allow was lost."""

    type: ClassVar[str] = "healed"
    creature: str
    amount: int = sealable(of="creature", fact="hp", blank=0)
    """What was offered."""
    hp: int = sealable(of="creature", blank=0)
    """Hit points after it."""
    source: str | None = None

    def evolve(self, state: State) -> State:
        clock = {"down_since_s": None} if self.hp > 0 else {}
        return state.with_creature(self.creature, hp=self.hp, **clock)


@record
class Woke(Event[State]):
    """An unconscious creature is awake again; it lies or stands as it did before."""

    type: ClassVar[str] = "woke"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, status="active", down_since_s=None)


@enforces(HR_REST_6)
def heal(state: State, creature: str, amount: int, source: str | None = None) -> Emits[State]:
    """Emit the healing of *amount* hit points, and the waking that may follow; nothing for the dead."""
    found = state.creatures[creature]
    amount = max(0, amount)
    if found.status == "dead" or (not amount and "hp_max" not in found.gm_only):
        return state  # where hit points are the GM's alone, that none were missing is too
    hp = healed_to(found.hp, amount, found.hp_cap)
    state = yield Healed(
        creature=creature, amount=amount, hp=hp, source=source, because=("HR-WND-1", "HR-REST-6")
    )
    return (yield from wake(state, creature))


@enforces(HR_WND_1)
def healed_to(hp: int, amount: int, cap: int) -> int:
    """Return the hit points after healing *amount*, which stops at *cap* and never lowers them."""
    return max(hp, min(hp + amount, cap))


@enforces(HR_ZERO_5)
def wake(state: State, creature: str) -> Emits[State]:
    """Emit the waking of an unconscious creature above zero hit points; nothing otherwise."""
    found = state.creatures[creature]
    if found.status != "unconscious" or found.hp <= 0:
        return state
    return (yield Woke(creature=creature))

"""Let the world hurt: hazards and traps against a save, and falls."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.abilities.effect_kinds import Damage
from service.rules.heartrush.checks.checks import CheckAsked, Checked, Checking
from service.rules.heartrush.checks.trials import Trial
from service.rules.heartrush.harm.damage import hurt
from service.rules.heartrush.operations.effects import EffectsBegun, amount_fault
from service.rules.heartrush.permission import gm
from service.rules.heartrush.sheets.sheet import Ability, DieSize
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET

HR_ENV_9: Final = Rule(
    "HR-ENV-9",
    "Hazards and traps ask for a saving throw; a failure takes the damage the GM sets.",
    books.BASICS.at("Hazards & Traps"),
    settles=("A-56",),
)
HR_FALL_1: Final = Rule(
    "HR-FALL-1",
    "Who falls 5 ft or more saves with agility against the feet fallen; what the roll lacks is damage.",
    books.BASICS.at("Falling"),
)


MOST_FT: Final = 10_000
MOST_CN: Final = 200
TEXT_LENGTH: Final = 280


def struck(view: State, command: Hazard | Fall) -> Creature:
    """Return the creature that something befalls, by the GM's word; refuse one that is not there."""
    gm(command)
    found = view.creatures.get(command.creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {command.creature}", "TABLE-SEAT-1")
    if not found.is_present:
        raise Refused("target_dead", f"{command.creature} is {found.status}", "HR-ENV-9")
    return found


@enforces(HR_ENV_9)
@record
class Hazard(Command[State]):
    """Let a hazard or trap strike a creature, as the GM: a saving throw, or the damage."""

    type: ClassVar[str] = "hazard"
    creature: str
    what: str
    ability: Ability
    cn: int
    damage: int = 0
    dice: tuple[DieSize, ...] = ()

    def check(self, view: State) -> None:
        struck(view, self)
        fault = amount_fault(self.damage, self.dice)
        if fault or not 0 <= self.cn <= MOST_CN or not 0 < len(self.what) <= TEXT_LENGTH:
            raise Refused("params_missing", fault or f"a number to {MOST_CN}, and a few words of what it is")

    def decide(self, state: State) -> Emits[State]:
        harm = Damage(creature=self.creature, amount=self.damage, dice=self.dice, cause="hazard")
        trial = Trial(
            creature=self.creature,
            ability=self.ability,
            what=self.what,
            cn=self.cn,
            save=True,
            failure=(harm,),
        )
        return (
            yield EffectsBegun(
                effects=f"r{state.round}/hazard-{state.rulings + 1}",
                order=(trial,),
                source=None,
                cause="hazard",
            )
        )


@record
class FallFrame(Checking):
    """A creature falls, and saves against the feet."""

    kind: ClassVar[str] = "fall"
    creature: str
    feet: int
    checked: Checked | None = None

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the save above it comes first"
        lacking = max(0, self.feet - self.checked.total)
        state = yield Landed(
            fall=self.path, creature=self.creature, feet=self.feet, damage=lacking, because=("HR-FALL-1",)
        )
        if not lacking:
            return state
        return (
            yield from hurt(state, f"{self.path}/damage", self.creature, lacking, source=None, cause="fall")
        )


@record
class Fell(Event[State]):
    """A creature falls."""

    type: ClassVar[str] = "fell"
    fall: str
    creature: str
    feet: int

    def evolve(self, state: State) -> State:
        return state.pushed(FallFrame(path=self.fall, creature=self.creature, feet=self.feet))


@record
class Landed(Event[State]):
    """A creature that fell has landed: what its save lacked is its damage."""

    type: ClassVar[str] = "landed"
    fall: str
    creature: str
    feet: int
    damage: int

    def evolve(self, state: State) -> State:
        return state.popped(self.fall)


@enforces(HR_FALL_1)
@record
class Fall(Command[State]):
    """Let a creature fall, as the GM: an agility save against the feet fallen, or the damage."""

    type: ClassVar[str] = "fall"
    creature: str
    feet: int

    def check(self, view: State) -> None:
        struck(view, self)
        if not FEET <= self.feet <= MOST_FT:
            raise Refused("params_missing", f"a fall is {FEET} to {MOST_FT} ft deep")

    def decide(self, state: State) -> Emits[State]:
        path = f"r{state.round}/fall-{state.rulings + 1}"
        state = yield Fell(fall=path, creature=self.creature, feet=self.feet)
        return (
            yield CheckAsked(
                check=f"{path}/save",
                creature=self.creature,
                ability="agility",
                cn=self.feet,
                what="fall",
                save=True,
                needs=("motion",),
            )
        )

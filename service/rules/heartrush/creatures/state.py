"""Hold the state of a Heart Rush fight: creatures as they are now, sides, round and priority.

Plain data and derived getters. What is unfinished (movement, engagements, attacks) is on the stacks as
frames of the chapters; what changes anything here are the chapters' events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final, Literal

from service.rules.heartrush.creatures.abilities import Ability, Lasting, Spell
from service.rules.heartrush.creatures.character import Character, Entry
from service.rules.heartrush.creatures.options import House, house_of
from service.rules.heartrush.creatures.sheet import (
    Complication,
    HidingPlace,
    Request,
    Scenery,
    Standing,
    Terrain,
    Thing,
    side_of,
)
from service.rules.heartrush.values import (
    ActionsLeft,
    HiddenFrom,
    IsSurprised,
    PassesInARow,
    PlayerSide,
    SideIds,
    Starter,
    UnawareSide,
)
from service.rules.kernel.records import EMPTY, Sealed, computed_from, record
from service.rules.kernel.values import (
    CellKey,
    Code,
    Count,
    CreatureId,
    Feet,
    Points,
    Position,
    Reason,
    Round,
    Seconds,
    SideId,
    Total,
)
from service.rules.secrecy.gm_only import WithSheets
from service.rules.secrecy.hiding import HidingTable, OccupiedSpace
from service.rules.space.grid import Cell, away_from, cells, centre, distance
from service.rules.table.table import GM
from service.rules.table.walled import WalledTable

Phase = Literal[
    "setup",
    "precombat",
    "opening",
    "priority",
    "turn",
    "resolving",
    "round_end",
    "round_over",
    "round_start",
    "idle",
    "ending",
    "ended",
]

MINUTE_S: Final = 60
HOUR_S: Final = 60 * MINUTE_S
DAY_S: Final = 24 * HOUR_S
WEEK_DAYS: Final = 7
MONTH_DAYS: Final = 30
TABLE_OWNER: Final = "table"
"""Whose roll it is when no creature throws: the players' opening die."""


@record
class Creature(Character):
    """One creature as it is now: what goes on with it after the fight, and what belongs to the fight."""

    position: Position
    rush: Points = 0
    """Its rush points."""
    rounds_active: tuple[Round, ...] = ()
    """The rounds in which it acted."""
    action: ActionsLeft = 0
    free_dash: bool = False
    """Whether its free dash is unused."""
    free_object: bool = False
    """Whether its free handling of an object is unused in this round."""
    free_callout: bool = False
    """Whether its free call is unused in this round."""
    moved_ft: Feet = 0
    """The feet that it has moved in this round."""
    dashed: bool = False
    """Whether it has dashed in this round."""
    used_reach: bool = False
    """Whether it has used its reach in this engagement."""
    ranged_stance_taken: bool = False
    """Whether it has taken a stance at range in this round."""
    shrugs: Count = 0
    """Times it shrugged off this round."""
    surprised: IsSurprised = False
    hidden_from: HiddenFrom = ()
    help: Count = 0
    """Levels of advantage from help, all spent by the next roll."""
    uses: Mapping[Code, Count] = EMPTY
    """Uses of each minor ability in this encounter."""
    spell_cast: bool = False
    """Whether it has cast its one spell of the round."""
    cast_at_ft: Feet = 0
    """How far it had moved when it did."""
    meditates: bool = False
    """Whether it meditates this round, and has done nothing else."""
    meditation: Count = 0
    """Rounds of full meditation just before this one, in a row."""
    drenched: bool = False
    """Whether something made it wet in this fight."""
    exposed: bool = False
    """Ruled helpless: an opportunity attack needs no other opening."""
    standing: Standing | Sealed[Standing] | None = None
    """What its seat answers in advance; known to that seat alone."""
    acted: bool = False
    """Whether it used an ability other than moving this round."""
    breath: Count | None = None
    """Rounds of air left while it holds its breath."""
    under_water: bool = False
    """Whether its head is under water, and its breath has been seen to."""
    left_unconscious: bool = False
    """Whether it lay unconscious when it left the fight."""


@record
class State(WithSheets, WalledTable, HidingTable):
    """A whole fight of Heart Rush."""

    phase: Phase = "setup"
    """The phase."""
    sides: SideIds = ()
    player_side: PlayerSide = ""
    declared_sides: tuple[SideId, ...] = ()
    """Sides whose dice people throw themselves; the others' are seeded."""
    creatures: Mapping[CreatureId, Creature] = EMPTY
    """The creatures of the fight, by id."""
    terrain: Mapping[CellKey, Terrain] = EMPTY
    """Cells that are not plain ground, by `x,y`."""
    scenery: Scenery = Scenery()
    """Light, heights, ledges and water."""
    lying: Mapping[Code, Thing] = EMPTY
    """What lies on the ground and can be picked up, by the name that commands give it."""
    hiding_places: Mapping[CreatureId, HidingPlace] = EMPTY
    """Who may hide, by the GM's leave."""
    rounds_before: Round = 0
    """The rounds of earlier fights in this encounter; its rounds are numbered on."""
    unaware_side: UnawareSide | None = None
    starting_side: SideId | None = None
    """The side that began the round; null outside combat."""
    starter: Starter | None = None
    priority_side: SideId | None = None
    """The side that has priority; null outside combat."""
    last_actor_side: SideId | None = None
    """Whose ability is resolving; priority goes to the other side when it has."""
    last_actor: CreatureId | None = None
    """Who used it."""
    passes: PassesInARow = 0
    auto_passes: Count = 0
    """Automatic passes in a row: two end the round at once."""
    acted_this_round: bool = False
    """Whether anybody chose anything since the round began; a round of automatic passes waits for the GM."""
    member_passed: tuple[CreatureId, ...] = ()
    """The ids of the creatures that passed since their side got priority."""
    ending: Reason = ""
    """Why the GM ends combat, until it has ended."""
    engagements: Count = 0
    """Engagements declared this round: the next one's number."""
    movements: Count = 0
    """Movements made this round: the next one's number."""
    abilities: Mapping[Code, Ability | Spell] = EMPTY
    """What every ability and spell in this fight does, by id."""
    lasting: tuple[Lasting, ...] = ()
    """What abilities have left that holds for a time, oldest first."""
    instants: Count = 0
    """Abilities used and instants declared at idle moments this round: the next one's number."""
    given_order: tuple[CreatureId, ...] = ()
    """The order of turns the opening supplies; empty where it is rolled for."""
    initiative: Mapping[CreatureId, Total] = EMPTY
    """Agility checks for the order of turns, as far as they are rolled."""
    turn_order: tuple[CreatureId, ...] = ()
    """The order of turns, the same every round."""
    turns: tuple[CreatureId, ...] = ()
    """The order of this round: as always, but for who delays."""
    turn: Count = 0
    """Whose turn it is: a place in `turns`."""
    delayed: tuple[CreatureId, ...] = ()
    """Who has delayed this round."""
    clock_s: Seconds = 0
    """Seconds on the campaign clock since its first midnight."""
    rulings: Count = 0
    """Rulings, checks and other matters so far: the next one's number."""
    complications: tuple[Complication, ...] = ()
    """The complications that the GM has not described yet."""
    requests: tuple[Request, ...] = ()
    """The requests for a ruling that the GM has not answered."""
    hidden_creatures: Mapping[Code, Entry | Sealed[Entry]] = EMPTY

    @computed_from("options")
    def house(self) -> House:
        """The house's value of each option, or its default."""
        return house_of(self.options)

    def free_path(self, stem: str, number: int) -> str:
        """Return *stem* with the first number, from *number* on, that no step under way has."""
        under_way = [f"{frame.path}/" for frame in self.stacks.table]
        paths = (f"{stem}-{each}" for each in count(number))
        return next(path for path in paths if not any(each.startswith(f"{path}/") for each in under_way))

    def numbered(self, what: str) -> str:
        """Return the path of a ruling, check or other matter that begins now."""
        return self.free_path(f"r{self.round}/{what}", self.rulings + 1)

    @property
    def fight_round(self) -> int:
        """The number of the round in its fight."""
        return self.round - self.rounds_before

    @property
    def is_over(self) -> bool:
        return self.phase == "ended"

    @property
    def won_by(self) -> str | None:
        return self.sides_left[0] if len(self.sides_left) == 1 else None

    @computed_from("creatures", "sides")
    def sides_left(self) -> tuple[str, ...]:
        """The sides that have an active member."""
        active = {creature.side: None for creature in self.creatures.values() if creature.status == "active"}
        return tuple([side for side in self.sides if side in active])

    def dice_policy(self, owner: str) -> str:
        side = self.player_side if owner == TABLE_OWNER else self.creatures[owner].side
        return "declared" if side in self.declared_sides else "seeded"

    def controller(self, creature: str) -> str:
        if creature != TABLE_OWNER:
            return super().controller(creature)
        for name, seat in self.seats.items():
            if seat.role == "player" and seat.creatures and not seat.closed:
                return name
        return GM

    def other(self, side: str) -> str:
        """Return the side that is not *side*."""
        return self.sides[1] if side == self.sides[0] else self.sides[0]

    def members(self, side: str) -> Iterator[Creature]:
        """Yield the creatures of *side*, in the order of the opening."""
        return (creature for creature in self.creatures.values() if creature.side == side)

    def distance(self, a: Creature, b: Creature) -> int:
        """Return the feet between two creatures' spaces by the house's metric."""
        return distance(a.position, a.space, b.position, b.space, self.house.metric)

    def away(self, of: str, from_: str) -> Cell | None:
        """Return the step that leads *of* straight away from *from_*; None if they have one centre."""
        mover, other = self.creatures[of], self.creatures[from_]
        if centre(mover.position, mover.space) == centre(other.position, other.space):
            return None
        return away_from(mover.position, mover.space, other.position, other.space)

    def ground(self, cell: Cell) -> Terrain:
        """Return what *cell* is made of."""
        return self.terrain.get(f"{cell[0]},{cell[1]}", "normal")

    def standing_at(self, cell: Cell) -> tuple[Creature, ...]:
        """Return the living creatures whose space covers *cell*."""
        return self.occupied.get(cell, ())

    @computed_from("creatures")
    def occupied(self) -> Mapping[Cell, tuple[Creature, ...]]:
        """The living creatures by the cells that their spaces cover."""
        found: dict[Cell, tuple[Creature, ...]] = {}
        for creature in self.creatures.values():
            if creature.is_present:
                for cell in cells(creature.position, creature.space):
                    found[cell] = (*found.get(cell, ()), creature)
        return found

    def room_of(self, creature: Creature) -> OccupiedSpace | None:
        return OccupiedSpace(creature.position, creature.space) if creature.is_present else None

    def room_for(self, entry: Entry) -> OccupiedSpace:
        assert entry.sheet is not None, "a hidden creature lies there with its sheet"
        return OccupiedSpace(entry.position, side_of(entry.sheet.size))

    def paused(self) -> bool:
        """Return whether no combat runs: it is being set up, or is over."""
        return self.phase in ("setup", "ended")


def is_able(creature: Creature) -> bool:
    """Return whether *creature* can act at all: conscious, not stunned, incapacitated or surprised."""
    return not creature.surprised and is_able_if_aware(creature)


def is_able_if_aware(creature: Creature) -> bool:
    """Return whether *creature* can act at all, or could if it were not surprised."""
    conditions = creature.conditions
    return creature.status == "active" and "stunned" not in conditions and "incapacitated" not in conditions

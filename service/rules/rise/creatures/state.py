"""Hold the state of a Rise fight: creatures as they are now, groups, the step of the round, and the worlds.

Plain data and derived getters. In a group's world the same record holds what that group knows to be true; its
`effects` are the group's log, which the announcement merges into the table. What is unfinished is on the
stacks as frames of the chapters; what changes anything here are the chapters' events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import TABLE, Awaited
from service.rules.kernel.meter import spend
from service.rules.kernel.records import EMPTY, Sealed, changed, computed_from, record
from service.rules.kernel.values import (
    CellKey,
    Code,
    Count,
    CreatureId,
    DeclaredSides,
    GroupId,
    PlaceOf,
    Reader,
    Round,
    ThingName,
    Total,
)
from service.rules.rise.creatures.character import Arrival, Entry, sheet_of
from service.rules.rise.creatures.creature import (
    Atom,
    Creature,
    Deed,
    HiddenSwift,
    Plan,
    Ruling,
    Unjudged,
    above,
    may_share,
)
from service.rules.rise.creatures.options import OPTIONS, House, house_of
from service.rules.rise.creatures.sheet import PROFILES, Profile, Zone, side_of
from service.rules.rise.values import EffectSource
from service.rules.secrecy.gm_only import WithSheets
from service.rules.secrecy.hiding import HidingTable, OccupiedSpace
from service.rules.secrecy.worlds import SHARED, SplitTable
from service.rules.space.grid import FEET, Cell, Row, away_from, cells, disc, distance, feet_between, gap
from service.rules.space.spread import Span, Spans, half_width, spans_of, with_span, without_span
from service.rules.space.walls import Wall
from service.rules.table.table import GM, Option
from service.rules.table.walled import Edging, WalledTable

ZONES_OF_A_STEP: Final = 8
"""The zones whose share of a row is added or taken away in about the time of a step of work."""

Stage = Literal[
    "setup",
    "round_start",
    "movement_start",
    "movement",
    "movement_end",
    "action_start",
    "action",
    "action_end",
    "round_end",
    "idle",
    "ended",
]
Attitude = Literal["ally", "enemy", "neutral"]
Terrain = Literal["normal", "difficult", "obstacle", "wall"]

RULED: Final = ("crit_mode", "visibility", "swift_mode")
"""Options of the house that the GM may also rule on in the course of a fight."""


def _house(options: Mapping[str, Option], rulings: tuple[Ruling, ...]) -> House:
    ruled = {
        known.question: known.chosen
        for known in rulings
        if known.question in RULED and known.chosen in OPTIONS[known.question].values
    }
    return house_of({**options, **ruled})


@record
class Placed:
    """A zone as it lies on the ground."""

    sentence: ClassVar[str] = "{zone} around {at}"
    zone: Zone
    """The zone."""
    at: PlaceOf
    source: EffectSource
    since: Round
    """The round in which it was made."""
    number: Count
    """How many its maker's zones were before it in this round."""

    def covers(self, cell: Cell) -> bool:
        """Return whether *cell* lies in it."""
        return distance(self.at, 1, cell, 1, "alternating") <= self.zone.radius_ft

    def rows(self) -> tuple[Row, ...]:
        """Return the cells that it covers, by rows."""
        return disc(self.at, self.zone.radius_ft, "alternating")


@record
class Taking:
    """A thing that one group took off the ground, and where it ended in that group's world."""

    creature: CreatureId
    """Who took it first."""
    holder: CreatureId | None
    """Who held it in the end, if anybody."""
    at: Cell | None
    """Where it lay in the end, if it did."""


@record
class State(WithSheets, SplitTable, WalledTable, HidingTable):
    """A whole fight of Rise, or the fight as one group has resolved it so far."""

    shared: ClassVar[tuple[str, ...]] = (*SHARED, "rulings")
    compared: ClassVar[tuple[str, ...]] = ("creatures",)
    stage: Stage = "setup"
    """How far it has come."""
    step: Count = 0
    """Which of the eleven steps of the round is at hand."""
    start_phase: Literal["movement", "action"] = "movement"
    """The phase with which the fight begins."""
    rounds_before: Round = 0
    """The rounds of earlier fights of this encounter."""
    creatures: Mapping[CreatureId, Creature] = EMPTY
    """The creatures of the fight, by id."""
    terrain: Mapping[CellKey, Terrain] = EMPTY
    """Cells that are not plain ground, by `x,y`."""
    zones: tuple[Placed, ...] = ()
    """What abilities have made of the ground."""
    moved_doors: Mapping[Code, Wall] = EMPTY
    """In a world: the doors that the group moved in this phase, each with what it was before."""
    lying: Mapping[Code, Cell] = EMPTY
    """Things on the ground that can be picked up, and where."""
    reacted: bool = False
    """Whether what this phase set off has come."""
    groups: Mapping[GroupId, tuple[CreatureId, ...]] = EMPTY
    """The members of each allied group in this phase."""
    attitudes: Mapping[CreatureId, Mapping[CreatureId, Attitude]] = EMPTY
    """What each creature has said of others; silence means by side."""
    next_attitudes: Mapping[CreatureId, Mapping[CreatureId, Attitude]] = EMPTY
    """What creatures have said for the next phase."""
    next_groups: Mapping[GroupId, tuple[CreatureId, ...]] = EMPTY
    """Groups the GM has set, for the phases to come."""
    arriving: tuple[Arrival, ...] = ()
    """Who joins with the next phase."""
    declared_sides: DeclaredSides = ()
    orders: Mapping[CreatureId, tuple[CreatureId, ...]] = EMPTY
    """In a world: the order of acting that each seat of the group wants."""
    readers: tuple[Reader, ...] = ()
    """In a world: who reads it, as `seat:<id>`."""
    picked: Mapping[ThingName, CreatureId | None] = EMPTY
    """In a world: who first picked up each thing that lay there before; null for what the group let go of."""
    takings: Mapping[ThingName, tuple[Taking, ...]] = EMPTY
    """The things that groups took in this phase, each with who did, until it is known who got it."""
    effects: tuple[Atom, ...] = ()
    """In a world: the group's log."""
    deeds: tuple[Deed, ...] = ()
    """What was tried that no ability names: by the group in its world, and once announced until judged."""
    unjudged: tuple[Unjudged, ...] = ()
    """In a world: the group's attacks whose outcomes are sealed from it until the announcement."""
    committed: bool = False
    """In a world: whether what the group does comes too late to be Swift, for it has committed already."""
    plans: Mapping[CreatureId, Plan] = EMPTY
    """Movements that are planned, or react to others: a group's own in its world, all of them once open."""
    initiative: Mapping[CreatureId, tuple[Total, ...]] = EMPTY
    """Initiative checks of this phase: the total, then re-rolls of ties."""
    goes_on: bool = False
    """Whether the GM lets the fight go on although one side stands."""
    pauses: bool = False
    """Whether the GM has asked for a pause once this round's actions are announced."""
    rulings: tuple[Ruling, ...] = ()
    """The rulings of the GM."""
    defaulted: tuple[tuple[Code, ...], ...] = ()
    """The questions of this phase, each with whom it is about, that the default has answered."""
    hidden_swift: Mapping[GroupId, HiddenSwift | Sealed[HiddenSwift]] = EMPTY
    """The Swift abilities of groups that committed unseen: one envelope each, whatever is in it."""
    worlds: Mapping[GroupId, State | Sealed[State]] = EMPTY
    hidden_creatures: Mapping[Code, Entry | Sealed[Entry]] = EMPTY

    @computed_from("options", "rulings")
    def profile(self) -> Profile:
        """The printing that is played."""
        return PROFILES[self.house.profile]

    @property
    def phase(self) -> str:
        """`movement` or `action` while one runs, else nothing."""
        return self.stage if self.stage in ("movement", "action") else ""

    @computed_from("options", "rulings")
    def house(self) -> House:
        """The house's value of each option: as the GM has ruled, as it was opened, or its default."""
        return _house(self.options, self.rulings)

    @property
    def is_over(self) -> bool:
        return self.stage == "ended"

    @property
    def won_by(self) -> str | None:
        left = [each for each in self.creatures.values() if not (each.down or each.dead or each.defeated)]
        sides = dict.fromkeys([each.sheet.side for each in left if each.sheet.kind != "object"])
        return next(iter(sides)) if len(sides) == 1 else None

    def optional_prompts(self) -> tuple[Awaited, ...]:
        """Return who may take back a plan in this group's world, and at the table that the GM may pause."""
        if self.here == TABLE:
            if self.pauses or self.stage in ("setup", "ended"):
                return ()
            prompt = f"r{self.round}/pause"
            return (Awaited(prompt=prompt, seat=GM, accepts=("ask_pause",), optional=True),)
        if self.stage != "movement":
            return ()
        return tuple(
            [
                Awaited(
                    prompt=f"r{self.round}/movement/{self.here}/{name}/planned",
                    seat=self.controller(name),
                    accepts=("withdraw_plan",),
                    creature=name,
                    optional=True,
                )
                for name in self.groups[self.here]
                if self.creatures[name].budget.moved
            ]
        )

    def is_named(self, name: str) -> bool:
        return name in self.creatures or any(name == sheet_of(known.entry).id for known in self.arriving)

    def crowded(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs in one space at one height, though no rule and no ruling lets them."""
        found = {
            (a.id, b.id): None
            for standing in self.occupied.values()
            for a, b in combinations(standing, 2)
            if not (may_share(a, b) or above(a, b) or self._is_ruled_shared(a.id, b.id))
        }
        return tuple(sorted(found))

    def _is_ruled_shared(self, a: str, b: str) -> bool:
        """Return whether the GM has ruled that the movements of two creatures are in no conflict."""
        return any(
            known.question == "conflict_exists" and known.chosen == "no"
            for known in self.rulings
            if not known.subjects or {a, b} <= {*known.subjects}
        )

    def room_of(self, creature: Creature) -> OccupiedSpace | None:
        if creature.dead or creature.defeated:
            return None
        return OccupiedSpace(creature.position, creature.space, creature.altitude)

    def room_for(self, entry: Entry) -> OccupiedSpace:
        return OccupiedSpace(entry.position, side_of(sheet_of(entry).size), entry.altitude)

    def dice_policy(self, owner: str) -> str:
        return "declared" if self.creatures[owner].sheet.side in self.declared_sides else "seeded"

    def group_of(self, creature: str) -> str | None:
        """Return the group that *creature* acts with in this phase."""
        return next((group for group, members in self.groups.items() if creature in members), None)

    def controller(self, creature: str) -> str:
        """Return the seat that acts for *creature*.

        In a world that is the first seat that reads it, if the creature's own has left and cannot.
        """
        seat = super().controller(creature)
        if not self.readers or f"seat:{seat}" in self.readers:
            return seat
        return self.readers[0].partition(":")[2]

    @computed_from("groups", "options", "readers", "rulings", "seats")
    def audiences(self) -> Mapping[str, tuple[str, ...]]:
        """The readers of the world of each group, by group."""
        found = {}
        for group, members in self.groups.items():
            seats = [self.controller(name) for name in members]
            if not self.house.gm_blind:
                seats.append(GM)
            found[group] = tuple([f"seat:{seat}" for seat in sorted(dict.fromkeys(seats))])
        return found

    def attitude(self, creature: str, toward: str) -> Attitude:
        """Return how *creature* regards another; the unconscious regard everybody as an ally."""
        if self.creatures[creature].down:
            return "ally"
        if toward in self.attitudes.get(creature, EMPTY):
            return self.attitudes[creature][toward]
        same = self.creatures[creature].sheet.side == self.creatures[toward].sheet.side
        return "ally" if same else "enemy"

    def with_budget(self, creature: str, /, **changes: object) -> State:
        """Return the state with part of one creature's budget changed."""
        return self.with_creature(creature, budget=changed(self.creatures[creature].budget, **changes))

    def distance(self, a: Creature, b: Creature) -> int:
        """Return the feet between two creatures' spaces, every second diagonal counting double."""
        return self.span(a, b)[0]

    def span(self, a: Creature, b: Creature) -> tuple[int, int]:
        """Return the feet between two creatures' spaces: as `distance` counts, and each diagonal as 5."""
        a, b = self.body(a), self.body(b)
        high = 0 if a.altitude == b.altitude else above(a, b)
        dx, dy = gap(a.position, a.space, b.position, b.space)
        flat = feet_between(dx, dy, "alternating")
        if not high:
            return flat, feet_between(dx, dy, "chebyshev")
        return max(flat, high) + min(flat, high) // 10 * 5, max(feet_between(dx, dy, "chebyshev"), high)

    def away(self, of: Creature, from_: Creature) -> Cell:
        """Return the step that leads *of* straight away from *from_*."""
        of, from_ = self.body(of), self.body(from_)
        return away_from(of.position, of.space, from_.position, from_.space)

    def body(self, creature: Creature) -> Creature:
        """Return whose space *creature* takes: its own, or that of the mount on which it sits."""
        if creature.mount is None:
            return creature
        mount = self.creatures.get(creature.mount)
        if mount is None or creature.position not in cells(mount.position, mount.space):
            return creature
        return mount

    def adjacent(self, a: Creature, b: Creature) -> bool:
        """Return whether two creatures' spaces touch, also at a corner."""
        return self.span(a, b)[1] <= FEET

    def touches(self, a: Creature, b: Creature) -> bool:
        """Return whether two creatures are adjacent, and no wall or closed door is between all of them."""
        if not self.adjacent(a, b):
            return False
        mine, theirs = self.body(a), self.body(b)
        return self.is_beside(cells(mine.position, mine.space), cells(theirs.position, theirs.space))

    def is_beside(self, mine: Sequence[Cell], theirs: Sequence[Cell]) -> bool:
        """Return whether one cell touches another one, also at a corner, with nothing shut between them."""
        bars = self.bars()
        return any(
            a == b or (bars is None or not bars(a, b))
            for a in mine
            for b in theirs
            if max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1
        )

    @computed_from("terrain", "zones", "walls")
    def is_plain(self) -> bool:
        """Whether nothing on the ground hinders anybody: no terrain, zone, wall or door."""
        return not (self.terrain or self.zones or self.walls)

    @computed_from("terrain")
    def wall_spans(self) -> Spans:
        """The cells of wall of the map, without what zones make of them."""
        walls = (cell.split(",") for cell, ground in self.terrain.items() if ground == "wall")
        return spans_of((int(x), int(y)) for x, y in walls)

    def solid_spans(self, y: int) -> Sequence[Span]:
        """Return the cells of row *y* that are wall, as `ground` says of each."""
        spans = self.wall_spans.get(y, ())
        spend(len(self.zones) // ZONES_OF_A_STEP)
        for placed in reversed(self.zones):
            wide = half_width(abs(y - placed.at[1]), placed.zone.radius_ft)
            if wide < 0 or placed.zone.kind not in ("wall", "difficult"):
                continue
            change = with_span if placed.zone.kind == "wall" else without_span
            spans = change(spans, placed.at[0] - wide, placed.at[0] + wide)
        return spans

    def with_edges(self, edges: Sequence[str], becomes: Edging) -> State:
        after = super().with_edges(edges, becomes)
        if self.here == TABLE:
            return after
        before = {edge: self.walls[edge] for edge in edges if edge in self.walls}
        return changed(after, moved_doors={**before, **self.moved_doors})

    def ground(self, cell: Cell) -> Terrain:
        """Return what *cell* is made of."""
        for placed in self.zones:
            if placed.zone.kind in ("wall", "difficult") and placed.covers(cell):
                return "wall" if placed.zone.kind == "wall" else "difficult"
        return self.terrain.get(f"{cell[0]},{cell[1]}", "normal")

    def standing_at(self, cell: Cell) -> tuple[Creature, ...]:
        """Return the creatures whose space covers *cell*; the fallen take no room."""
        return self.occupied.get(cell, ())

    @computed_from("creatures")
    def occupied(self) -> Mapping[Cell, tuple[Creature, ...]]:
        """The cells that creatures cover, each with the creatures."""
        found: dict[Cell, tuple[Creature, ...]] = {}
        for creature in self.creatures.values():
            if not creature.dead and not creature.defeated:
                for cell in cells(creature.position, creature.space):
                    found[cell] = (*found.get(cell, ()), creature)
        return found

"""Play whole campaigns at random: make ready, fight, end it, treat, rest and grow, with a GM who meddles.

Bots prefer what has been done least, so seldom things come early.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.abilities import Spell
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.kernel.messages import Fact
from service.rules.kernel.sealed import view
from service.rules.ruleset import Refusal, decide, waiting
from tests.random_play.offer_check import Stuck, Unheld, refused_offer
from tests.random_play.situations import concealed, disturbed, hidden, met
from tests.rules.heartrush import master
from tests.rules.heartrush.bot import SELDOM, SIDES, WEAPONS, Choice, Table, choices, random_opening
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import sheet
from tests.rules.heartrush.nearmiss import fault_of, probe
from tests.rules.heartrush.ranges import faults

SECRET: Final = 3
"""In one campaign of so many there are secrets of the GM's on both sides; in some it plays everybody."""
MOVING: Final = 0.05
"""How often the GM does something with a hidden creature, of all turns."""
BUYING: Final = 0.3
"""How often somebody buys something after the fight, of all turns."""
READY: Final = 25
"""Commands before the fight begins."""
SPELLS: Final = [name for name, found in CATALOGUE.items() if isinstance(found, Spell)]
TALENTS: Final = [name for name in CATALOGUE if name not in SPELLS]
THROWN: Final[list[Mapping[str, Any]]] = [w for w in WEAPONS if w["id"] in ("knife", "dart")]
BOWS: Final[list[Mapping[str, Any]]] = [w for w in WEAPONS if w["id"] == "bow"]
CANTRIPS: Final[list[Mapping[str, Any]]] = [
    {
        "id": f"{form}-{element}",
        "size_class": "heavy",
        "attack_type": "ranged" if form == "bolt" else "melee",
        "damage_type": "none",
        "tags": ["spell"],
        "cantrip": {"element": element, "form": form, **brings},
    }
    for form, element, brings in (
        ("blast", "force", {"harmless": True, "push_ft": 10, "might_push_ft": 5}),
        ("bolt", "fire", {"harmless": True, "conditions": {"burning": 1}}),
        ("bolt", "water", {"drenches": True, "conditions": {"off_balanced": 1}}),
    )
]
"""One is in hand as the fight begins: a blast at several."""
ARMS: Final[list[list[Mapping[str, Any]]]] = [
    [],
    [],
    THROWN,
    [w for w in WEAPONS if w["id"] == "spear"],
    BOWS,
    [w for w in WEAPONS if w["id"] == "maul"],
]
BOLD: Final = ("deal_instead", "follow_up", "trip", "declare_offensive", "engage", "join_engagement")
FOE: Final = {"name": "target", "kind": "creature", "side": "enemy"}


def _curse(condition: str, levels: int = 1) -> dict[str, Any]:
    effect = do("condition", creature="$target", condition=condition, levels=levels)
    return ability(f"own-{condition.replace('_', '-')}", "minor", params=[FOE], effects=[effect])


OWN: Final = [
    *(
        _curse(condition)
        for condition in ("frightened", "enraged", "charmed", "burning", "confused", "off_balanced")
    ),
    ability(
        "own-again",
        "minor",
        "instant",
        trigger=["attack_rolled", "rolls_known"],
        effects=[do("reroll", which="attack")],
    ),
]


@dataclass
class Campaign(Table):
    """A campaign of *many* creatures (by chance if null), over once *budget* commands are given."""

    timing: str = "priority"
    many: int | None = None
    budget: int = 300
    brawl: bool = False
    probing: float = 0.0
    """How often, of all turns, options are held to what is accepted and refused."""
    done: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    """How many commands met each of the situations that play must reach."""
    hidden: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """What the GM sends before the fight to hide creatures."""
    past: list[Choice] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.apart = Random(f"{self.seed}/secrets")
        """Chance of its own for secrets, so that they change nothing that a seed brings besides."""

    @property
    def keeps_secrets(self) -> bool:
        """Whether fields of sheets are GM-only and creatures are hidden in this fight."""
        return self.seed % SECRET == 0

    def opening(self) -> dict[str, Any]:
        """Return an opening in which everybody has gifts, and nobody is far away."""
        opening = random_opening(self.chance)
        known = len(opening["creatures"])
        for i in range(known, max(known, self.many or 0)):
            extra = sheet(f"c{i}", like="pia", side=SIDES[i % 2], hp_max=12, heart_die=4)
            opening["creatures"].append({"sheet": extra, "position": [i // 2 - 5, 10 + i % 2]})
        if self.many is not None and self.many < known:
            self._leave(opening, self.many)
        for entry in opening["creatures"]:
            self._gift(entry["sheet"])
        opening["abilities"] = OWN
        opening["options"]["timing"] = self.timing
        if self.chance.random() < 0.7:
            opening["options"]["auto_end"] = False
        if self.brawl:
            self._draw_together(opening)
        if self.keeps_secrets:
            opening = concealed(self.apart, HEARTRUSH.edition, opening)
            self.hidden = hidden(self.apart, HEARTRUSH.edition, opening)
        return opening

    def _draw_together(self, opening: dict[str, Any]) -> None:
        """Put everybody in a knot on plain ground, hard to kill, so that they fight hand to hand."""
        opening |= {"terrain": {}, "scenery": {}, "options": {"timing": self.timing}}
        if self.seed % 3 == 2:
            board = [f"{x},{y}" for x in range(6) for y in range(4)]
            opening["terrain"] = dict.fromkeys(board, "deep_water")
            opening["scenery"] = {"water": {cell: {"submerged": True} for cell in board}}
        for i, entry in enumerate(opening["creatures"]):
            entry["position"] = [i // 2, i % 2]
            entry["sheet"] |= {"hp_max": 90, "speed": 60, "shield": "none", "breathes_water": i % 3 > 0}
            entry["sheet"]["weapons"] = THROWN if self.seed % 3 == 1 else self.chance.choice(ARMS)
            if i >= 4:
                entry["sheet"]["weapons"] = CANTRIPS
            if entry["sheet"]["weapons"] == BOWS:
                entry["sheet"] |= {"speed": 10, "armor": "none"}
            entry["sheet"]["poisons"] = [{"id": "viper", "doses": 2}]
            entry["sheet"]["abilities"] = entry["sheet"]["abilities"][:2]
            entry["sheet"]["size"] = self.chance.choice(["medium", "large"])

    def _leave(self, opening: dict[str, Any], many: int) -> None:
        opening["creatures"] = opening["creatures"][:many]
        left = {entry["sheet"]["id"] for entry in opening["creatures"]}
        for seat in opening["seats"]:
            seat["creatures"] = [name for name in seat.get("creatures", ()) if name in left]

    def _gift(self, given: dict[str, Any]) -> None:
        own = [definition["id"] for definition in OWN]
        given["abilities"] = self.chance.sample(TALENTS + own, self.chance.randint(0, 6))
        given["growth"] = {
            "spells": self.chance.sample(SPELLS, self.chance.randint(0, 2)),
            "xp_total": 150,
            "xp_unspent": 90,
            "attunements": ["water", "fire", "force"],
            "combat_talents": ["agile"],
        }
        given["paragon_level"] = self.chance.randint(0, 2)
        given["potions"] = 1

    def attempt(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        """Try a command; a refusal changes nothing."""
        before = self.state
        decision = decide(before, self.command(type_, seat, data), self.dice)
        self.commands += 1
        if decision.refusal is None:
            self.hold(decision.state, decision.facts)
            self.done[type_] += 1
            self.met.update(met(before, self.state, seat, type_))
        return decision.refusal

    def hold(self, state: State, facts: Sequence[Fact[State]]) -> None:
        """Go on from *state*, which *facts* made true; it must be one that a fight can be in."""
        broken = faults(state, self.state, facts)
        assert not broken, f"seed {self.seed}, command {self.commands}: {broken}"
        self.state = state
        self.facts += facts

    def play(self) -> Campaign:
        """Play until the budget is spent; fails if everybody waits for nobody."""
        self.open()
        for type_, data in self.hidden:
            self.attempt(type_, "gm", data)
        for step in master.prologue(self.state):
            while waiting(self.state) and waiting(self.state)[0].wants:
                self.step_on()
            self.attempt(*step)
        while self.commands < self.budget:
            self.go_on()
        return self

    def go_on(self) -> None:
        """Let somebody do something; raises `Stuck` where nobody may."""
        if not self.turn():
            raise Stuck(f"seed {self.seed} is stuck: {self.state.top}")

    def step_on(self) -> None:
        """Answer what dice are asked for."""
        choice = self.rarest() or self.pick()
        if choice is None:
            raise Stuck(f"seed {self.seed} is stuck: {self.state.top}")
        self.attempt(choice.type, choice.awaited.seat, choice.data)

    def turn(self) -> bool:
        """Let somebody do something, or try to; whether anybody could."""
        if self.hidden and self.state.phase == "ended" and self.apart.random() < BUYING:
            self.attempt(*master.purchase(self.state, self.apart))
        if self.hidden and self.state.hidden_creatures and self.apart.random() < MOVING:
            self.attempt(*self._disturbing())
        luck = self.chance.random()
        if luck > 0.93 and (step := master.getting_up(self.state, self.chance)) is not None:
            self.attempt(*step)
            return True
        if luck < (0.03 if self.brawl else 0.15):
            self.attempt(*master.attempt(self.state, self.chance))
            return True
        if luck < 0.25 and (step := master.stance(self.state, self.chance)) is not None:
            self.attempt(*step)
            return True
        if luck < 0.18 and self.past:
            stale = self.chance.choice(self.past[-40:])
            self.attempt(stale.type, stale.awaited.seat, stale.data)
            return True
        if self.state.phase == "setup" and self.commands > READY and luck < 0.5:
            self.attempt("begin_combat", "gm", {})
        late = self.commands > self.budget * 0.8 and self.state.phase not in ("setup", "ended")
        if late and self.chance.random() < 0.3:
            self.attempt("end_combat", "gm", {})
        choice = (
            (self.engaging() if self.brawl else None)
            or (self.rarest() if self.chance.random() < 0.6 else None)
            or self.pick()
        )
        if choice is None:
            word = master.verdict(self.state, self.chance)
            return word is not None and self.attempt(*word) is None
        self.take(choice)
        return True

    def _disturbing(self) -> tuple[str, str, dict[str, Any]]:
        """Return what the GM tries with somebody hidden."""
        type_, data = disturbed(self.apart, self.state.hidden)
        return type_, "gm", data

    def take(self, choice: Choice) -> None:
        """Give a command that was offered; it must be accepted."""
        if self.probing and self.chance.random() < self.probing:
            probe(self, self.chance.sample(self.past, min(15, len(self.past))))
        self.past.append(choice)
        seat = choice.awaited.seat
        refusal = self.attempt(choice.type, seat, choice.data)
        if refusal is not None:
            unheld = Unheld(self.seed, choice.type, seat, choice.data, refused_offer(refusal.code))
            unheld.add_note(str(refusal))
            raise unheld

    def fault_of(self, type_: str, seat: str, data: Mapping[str, Any]) -> str | None:
        """Return how offer and outcome of a command differ now, null if they do not; changes nothing."""
        return fault_of(self, type_, seat, data)

    def offers_of(self, type_: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield seat and data of one command for each offer of a type."""
        for choice in self.offered():
            if choice.type == type_:
                yield choice.awaited.seat, choice.data

    def look(self) -> None:
        """Look up what everybody may do now."""
        self.offered()

    def is_stuck(self) -> bool:
        """Tell whether nobody may do anything now."""
        if self.offered():
            return False
        word = master.verdict(self.state, self.chance)
        return word is None or self.attempt(*word) is not None

    def finish(self) -> None:
        """Hold nothing more to be true: every step was held to it."""

    def engaging(self) -> Choice | None:
        """Choose an engagement, to join one, or what is done there besides attacking, if anybody may."""
        for awaited in waiting(self.state):
            for name in BOLD:
                if name in awaited.accepts and self.chance.random() < 0.7:
                    offers = tuple(HEARTRUSH.commands[name].offers(view(self.state, awaited.seat), awaited))
                    holds = [offer for offer in offers if offer.given.get("what") == "grapple"]
                    holds = holds if self.chance.random() < 0.6 else []
                    if offers:
                        return next(choices(self.chance, awaited, (self.chance.choice(holds or offers),)))
        return None

    def rarest(self) -> Choice | None:
        """Choose what has been done least, of all that anybody may do."""
        over = self.state.phase in ("setup", "ended")
        asked = [(awaited, name) for awaited in waiting(self.state) for name in awaited.accepts]
        self.chance.shuffle(asked)
        for awaited, name in sorted(asked, key=lambda pair: self.done[pair[1]]):
            if (name in SELDOM and not over) or (name == "begin_combat" and self.commands < READY):
                continue
            offers = tuple(HEARTRUSH.commands[name].offers(view(self.state, awaited.seat), awaited))
            if offers:
                return next(choices(self.chance, awaited, (self.chance.choice(offers),)))
        return None

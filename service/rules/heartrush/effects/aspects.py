"""Aspects: destiny points are spent to add to a check that fits one, and earned by letting one hinder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.operations import Effect
from service.rules.heartrush.body.permission import own
from service.rules.heartrush.creatures.sheet import Aspect
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.effects.ruling_effects import GiveDestiny, LayBonus, LayPenalty
from service.rules.heartrush.timing.clock import at_rest, check_at_rest
from service.rules.heartrush.timing.gm_rulings import AdjudicationAsked, RulingRecorded, path_of, rule_on
from service.rules.kernel.messages import Awaited, Command, Emits, Offer, Refused, Sentence
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Count, CreatureId, Points, Prose

HR_ASP_1: Final = Rule(
    "HR-ASP-1",
    "Destiny points up to the rank of an aspect that fits add as much to the next skill check.",
    books.CHARACTERS.at("Aspects"),
    left_open="the ledger has destiny points and aspects, and nothing that spends them",
)
HR_ASP_2: Final = Rule(
    "HR-ASP-2",
    "An aspect that hinders lowers the next check by its rank, for as many destiny points.",
    (books.MECHANICS.at("Wounds"), books.CHARACTERS.at("Aspects")),
    left_open="the ledger has wounds that are invoked like aspects, and not aspects",
)

Use = Literal["spend", "earn"]


@record
class InvokeAspect(Command[State]):
    """Let an aspect count for the next check outside combat: spend destiny points on it, or earn them by it.

    A player asks and the GM allows it or not; the GM needs nobody's leave.
    """

    type: ClassVar[str] = "invoke_aspect"
    sentence: ClassVar[Sentence] = {
        "use=spend": "Spend destiny points on aspect {aspect}",
        "use=earn": "Let aspect {aspect} hinder you, for destiny points",
        "": "Let aspect {aspect} count",
    }
    creature: CreatureId
    aspect: Count
    """The place of the aspect on the list, from 0."""
    use: Use = "spend"
    """Spent points add to the check; to earn them lowers it by the rank."""
    points: Points | None = None
    """How many points are spent; null is as many as the rank. None are named to earn them."""
    text: Prose = "it is in character"

    def check(self, view: State) -> None:
        if self.by.role != "gm":
            own(view, self, self.creature)
        check_at_rest(view, "aspects are invoked", "HR-ASP-1")
        if self.creature not in view.creatures:
            raise Refused("no_such_creature", f"there is no creature {self.creature}", "TABLE-SEAT-1")
        found = view.creatures[self.creature]
        if self.aspect >= len(found.sheet.growth.aspects):
            raise Refused(
                "params_missing", "say in `aspect` which of its aspects, counted from 0", "HR-ASP-1"
            )
        if found.bonus if self.use == "spend" else found.penalty:
            raise Refused("already_invoked", f"the next check of {found.id} is changed already", "HR-ASP-1")
        if self.use == "spend":
            check_points(found, found.sheet.growth.aspects[self.aspect], self.points)
        elif self.points is not None:
            raise Refused(
                "params_missing", "an aspect that hinders earns its rank: leave `points` out", "HR-ASP-2"
            )

    def decide(self, state: State) -> Emits[State]:
        rank = state.creatures[self.creature].sheet.growth.aspects[self.aspect].rank
        spends = self.use == "spend"
        follows = spent(self.creature, self.points or rank) if spends else earned(self.creature, rank)
        rule = "HR-ASP-1" if spends else "HR-ASP-2"
        if self.by.role == "gm":
            return (yield from rule_on(state, self._ruling(state, follows, rule)))
        return (
            yield AdjudicationAsked(
                adjudication=state.numbered("aspect"),
                about="aspect",
                creature=self.creature,
                text=self.text,
                on_accept=follows,
                because=(rule,),
            )
        )

    def _ruling(self, state: State, follows: tuple[Effect, ...], rule: str) -> RulingRecorded:
        return RulingRecorded(
            ruling=path_of(state),
            kind="aspect",
            subject=self.creature,
            decision="invoked",
            reason=self.text,
            seat=self.by.seat,
            effects=follows,
            because=(rule,),
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        aspects = creature.sheet.growth.aspects
        if not aspects or not at_rest(view):
            return
        if not creature.penalty:
            yield Offer(
                type=cls.type,
                creature=creature.id,
                given={"use": "earn"},
                choices={"aspect": tuple(range(len(aspects)))},
            )
        for i, aspect in enumerate(() if creature.bonus else aspects):
            most = min(aspect.rank, creature.destiny_points)
            if most:
                yield Offer(
                    type=cls.type,
                    creature=creature.id,
                    given={"use": "spend", "aspect": i},
                    choices={"points": tuple(range(1, most + 1))},
                )


@enforces(HR_ASP_1)
def check_points(creature: Creature, aspect: Aspect, points: int | None) -> None:
    """Refuse more points than the rank of *aspect*, or than *creature* has."""
    wanted = aspect.rank if points is None else points
    if not 1 <= wanted <= aspect.rank:
        raise Refused("params_missing", f"from 1 to the rank, {aspect.rank}", HR_ASP_1.id)
    if wanted > creature.destiny_points:
        raise Refused(
            "cannot_pay", f"{creature.id} has {creature.destiny_points} destiny points", HR_ASP_1.id
        )


@enforces(HR_ASP_1)
def spent(creature: str, points: int) -> tuple[Effect, ...]:
    """Return what *points* that are spent on an aspect do."""
    return GiveDestiny(creature=creature, points=-points), LayBonus(creature=creature, bonus=points)


@enforces(HR_ASP_2)
def earned(creature: str, rank: int) -> tuple[Effect, ...]:
    """Return what an aspect of *rank* that hinders does."""
    return LayPenalty(creature=creature, penalty=rank), GiveDestiny(creature=creature, points=rank)

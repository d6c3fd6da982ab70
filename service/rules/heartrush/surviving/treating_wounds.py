"""Treat wounds with a medicine check, and let a wound get in the way outside combat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, afford_action
from service.rules.heartrush.body.operations import Effect
from service.rules.heartrush.body.permission import acting, awake, check_settled, holding_priority, own
from service.rules.heartrush.body.wounds import WoundTreated, eased, relief, treatable, wounds_of
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.sheet import Ability
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.effects.ruling_effects import GiveDestiny, LayPenalty
from service.rules.heartrush.rolling.checks import CheckAsked, Checked, Checking, CheckResult, Leaning
from service.rules.heartrush.timing.clock import at_rest, check_at_rest
from service.rules.heartrush.timing.gm_rulings import AdjudicationAsked, RulingRecorded, path_of, rule_on
from service.rules.heartrush.values import HealerId, PatientId, TreatmentId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Prose, WoundId
from service.rules.rolls.chance import Chance
from service.rules.table.stack import opened_by

# --- treatment -----------------------------------------------------------------------------------------
# One medicine check for all wounds that were not treated before.

HR_WND_6: Final = Rule(
    "HR-WND-6",
    "A creature that treats its own wounds has a level of disadvantage.",
    books.MECHANICS.at("Treating Wounds"),
)
HR_WND_4: Final = Rule(
    "HR-WND-4",
    "One medicine check treats a creature: its total comes off every wound not treated before.",
    books.MECHANICS.at("Treating Wounds"),
    settles=("A-26",),
)
HR_WND_3: Final = Rule(
    "HR-WND-3",
    "Outside combat a wound may lower one check by its rank, for as many destiny points, at most 5.",
    books.MECHANICS.at("Wounds"),
    settles=("A-54",),
)


MOST_GAINED: Final = 5


@record
class DeclaredTreatment:
    """Who treats whom, and with which ability."""

    healer: HealerId
    patient: PatientId
    ability: Ability


@record
class TreatmentFrame(DeclaredTreatment, Checking):
    """A treatment under way: the check comes first, then its total is taken off the wounds."""

    kind: ClassVar[str] = "treatment"
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.checked is None:
            return (yield from ask_medicine(self))
        return (yield from treated(state, self, self.checked))


@record
class TreatmentBegun(DeclaredTreatment, Event[State]):
    """A healer sets about treating all untreated wounds of a creature."""

    type: ClassVar[str] = "treatment_begun"
    treatment: TreatmentId

    def evolve(self, state: State) -> State:
        return changed(state, rulings=state.rulings + 1).pushed(
            opened_by(self, TreatmentFrame, self.treatment)
        )


@record
class TreatmentDone(Event[State]):
    """A treatment is over."""

    type: ClassVar[str] = "treatment_done"
    treatment: TreatmentId

    def evolve(self, state: State) -> State:
        return state.popped(self.treatment)


@enforces(HR_WND_6)
def own_hands(healer: str, patient: str) -> tuple[Leaning, ...]:
    """Return the disadvantage of a healer that treats its own wounds, none for another patient."""
    return (Leaning(levels=-1, what="own wounds", rule="HR-WND-6"),) if healer == patient else ()


def ask_medicine(frame: TreatmentFrame) -> Emits[State]:
    """Emit the medicine check of a treatment."""
    return (
        yield CheckAsked(
            check=f"{frame.path}/check",
            creature=frame.healer,
            ability=frame.ability,
            cn=None,
            what="medicine",
            leanings=own_hands(frame.healer, frame.patient),
            because=("HR-WND-4", "A-26"),
        )
    )


def treated(state: State, frame: TreatmentFrame, checked: Checked) -> Emits[State]:
    """Emit what a treatment came to: a check that failed outright takes nothing off, but treats."""
    total = max(0, checked.total) if checked.success else 0
    wounds = treatable(state.creatures[frame.patient].wounds)
    state = yield WoundTreated(
        creature=frame.patient,
        healer=frame.healer,
        total=total,
        ranks=eased(wounds, total),
        relief=relief(wounds, total),
        because=("HR-WND-4", "HR-WND-5", "HR-WND-7", "A-26"),
    )
    return (yield TreatmentDone(treatment=frame.path, because=("HR-WND-4",)))


@enforces(HR_WND_4)
@record
class TreatWounds(Command[State]):
    """Treat the wounds of a creature by one medicine check."""

    type: ClassVar[str] = "treat_wounds"
    sentence: ClassVar[str] = "Treat the wounds of {patient}[ by {ability}]"
    creature: CreatureId
    """The healer."""
    patient: PatientId
    ability: Ability = "cunning"

    def check(self, view: State) -> None:
        healer = self._healer(view)
        wounds = wounds_of(view, self.patient)
        patient = view.creatures[self.patient]
        if not patient.is_present:
            raise Refused("target_dead", f"{self.patient} is dead or has left", HR_WND_4.id)
        if not treatable(wounds):
            raise Refused("already_treated", f"every wound of {self.patient} was treated before", "HR-WND-7")
        if not at_rest(view) and not is_adjacent(view, healer, patient):
            raise Refused("not_adjacent", f"{self.patient} is not adjacent to {self.creature}", HR_WND_4.id)
        if self.ability != "cunning" and view.house.medicine_ability != "any":
            raise Refused("params_missing", "medicine goes by cunning here: leave `ability` out", HR_WND_4.id)

    def _healer(self, view: State) -> Creature:
        """Return the healer, in a state to heal: at leisure, or where the house allows a full action."""
        if at_rest(view):
            check_settled(view)
            return awake(view, self, self.creature)
        if not view.house.treat_in_combat:
            own(view, self, self.creature)
            raise Refused("in_combat", "wounds are treated outside combat", HR_WND_4.id)
        healer = acting(view, self, self.creature)
        holding_priority(view, healer)
        afford_action(healer)
        return healer

    def decide(self, state: State) -> Emits[State]:
        if not at_rest(state):
            state = yield AbilityUsed(creature=self.creature, ability=self.type, paid="action")
        return (
            yield TreatmentBegun(
                treatment=state.numbered("treatment"),
                healer=self.creature,
                patient=self.patient,
                ability=self.ability,
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        healer = view.creatures[awaited.creature or ""]
        near = tuple(
            other.id
            for other in view.creatures.values()
            if other.is_present
            and treatable(other.wounds)
            and (at_rest(view) or is_adjacent(view, healer, other))
        )
        allowed = at_rest(view) or (view.house.treat_in_combat and healer.action > 0)
        if near and allowed and healer.status == "active":
            yield Offer(type=cls.type, creature=healer.id, choices={"patient": near})


# --- wounds as aspects -----------------------------------------------------------------------------


@enforces(HR_WND_3)
@record
class InvokeWound(Command[State]):
    """Let a wound lower one check outside combat by its rank, for as many destiny points, at most 5.

    A player asks and the GM allows it or not; the GM needs nobody's leave.
    """

    type: ClassVar[str] = "invoke_wound"
    sentence: ClassVar[str] = "Let {wound} hinder you, for destiny points"
    creature: CreatureId
    wound: WoundId
    text: Prose = "the wound gets in the way"

    def check(self, view: State) -> None:
        if self.by.role != "gm":
            own(view, self, self.creature)
        check_at_rest(view, "wounds are invoked")
        if all(wound.id != self.wound for wound in wounds_of(view, self.creature)):
            raise Refused("wound_none", f"{self.creature} has no wound {self.wound}", HR_WND_3.id)
        if view.creatures[self.creature].penalty:
            raise Refused(
                "already_invoked", f"a wound weighs on the next check of {self.creature} already", HR_WND_3.id
            )

    def decide(self, state: State) -> Emits[State]:
        rank = next(w.rank for w in state.creatures[self.creature].wounds if w.id == self.wound)
        follows: tuple[Effect, ...] = (
            LayPenalty(creature=self.creature, penalty=rank),
            GiveDestiny(creature=self.creature, points=min(rank, MOST_GAINED)),
        )
        if self.by.role == "gm":
            return (yield from rule_on(state, self._ruling(state, follows)))
        return (
            yield AdjudicationAsked(
                adjudication=state.numbered("invoke"),
                about="wound",
                creature=self.creature,
                text=self.text,
                on_accept=follows,
            )
        )

    def _ruling(self, state: State, follows: tuple[Effect, ...]) -> RulingRecorded:
        return RulingRecorded(
            ruling=path_of(state),
            kind="wound",
            subject=self.creature,
            decision="invoked",
            reason=self.text,
            seat=self.by.seat,
            effects=follows,
            because=("HR-WND-3", "A-54"),
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        wounds = tuple(wound.id for wound in creature.wounds if wound.rank > 0)
        if wounds and not creature.penalty and at_rest(view):
            yield Offer(type=cls.type, creature=creature.id, choices={"wound": wounds})

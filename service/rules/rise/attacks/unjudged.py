"""Keep back what came of attacks where the house discloses nothing before the announcement.

Every die is thrown at once, also those that a miss would not need, so that nothing reveals the outcome. It
follows from the roll and from what the group knows of its target, which no attack of the phase changes there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import ClassVar

from service.dice.values import Roll
from service.rules.kernel.messages import TABLE, Event, Fact, Noted
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.values import AttackerId, TargetId, Total
from service.rules.rise.attacks.attack_rolls import (
    Outcome,
    against,
    at_least,
    damage_amount,
    judge,
    may_be_crit,
)
from service.rules.rise.creatures.combat_statistics import condition_of, halved
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Cover, Unjudged
from service.rules.rise.creatures.sheet import Effect, Sort
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import Aim, Assault, takes
from service.rules.rise.values import DamageMultiple, MeansName
from service.rules.rolls.chance import Chance, PoolDie

SHOWN = ("push", "knockback")
"""Effects that everybody sees at once."""


@record
class AttackPostponed(Event[State]):
    """What an attack comes to is shown with the announcement, to its own group too."""

    type: ClassVar[str] = "attack_postponed"
    attack: Unjudged
    """The attack."""

    def evolve(self, state: State) -> State:
        mark = Atom(
            seq=len(state.effects) + 1,
            source=self.attack.attacker,
            target=self.attack.target,
            does="attack",
            amount=len(state.unjudged),
            group=state.here,
        )
        return changed(state, unjudged=(*state.unjudged, self.attack), effects=(*state.effects, mark))


@record
class AttackJudged(Noted[State]):
    """What an attack came to, shown with the announcement."""

    type: ClassVar[str] = "attack_judged"
    attacker: AttackerId
    target: TargetId
    what: MeansName
    total: Total
    outcome: Outcome
    """The outcome: a miss, a hit or a critical hit."""
    multiple: DamageMultiple
    redirected_streams: bool = False
    """Whether it fell short of the target's defenses and went for what sheltered it."""


def keeps_back(state: State, aim: Aim) -> bool:
    """Return whether the outcome of this attack stays sealed from its group; running and pushing are seen."""
    assault = aim.assault
    every = (*assault.effects, *assault.on_crit, *assault.on_miss, *assault.on_loss)
    plain = not assault.maneuver and assault.push is None and all(e.does not in SHOWN for e in every)
    outside = state.here != TABLE and state.group_of(aim.target) != state.here
    return state.house.visibility == "none" and plain and outside


def postponed(
    state: State, chance: Chance, aim: Aim, total: int, cover: Cover | None, attacked: tuple[str, ...]
) -> Generator[Fact[State], State, State]:
    """Throw everything an attack may need, and keep it until the announcement."""
    assault, strike = aim.assault, aim.assault.strike
    assert strike is not None, "attacks are judged"
    damage = 0
    if strike.damaging:
        state, damage = yield from damage_amount(state, chance, aim, strike, 0)
    kept: list[tuple[Effect, ...]] = []
    for effects in (assault.effects, assault.on_crit, assault.on_miss, assault.on_loss):
        thrown: tuple[Effect, ...]
        state, thrown = yield from all_thrown(state, chance, aim, effects)
        kept.append(thrown)
    attack = Unjudged(
        attacker=assault.user,
        target=aim.target,
        what=assault.what,
        total=total,
        strike=strike,
        damage=damage,
        defense_terms=assault.defense_terms,
        cover=cover,
        spared=(*assault.targets, *attacked),
        use=state.creatures[assault.user].budget.attacks,
        subdual=assault.subdual,
        effects=kept[0],
        on_crit=kept[1],
        on_miss=kept[2],
        on_loss=kept[3],
    )
    return (yield AttackPostponed(attack=attack, because=("RI-INFO-5",)))


def all_thrown(
    state: State, chance: Chance, aim: Aim, effects: Sequence[Effect]
) -> Generator[Fact[State], State, tuple[State, tuple[Effect, ...]]]:
    """Return *effects* with their dice thrown."""
    known: list[Effect] = []
    for number, effect in enumerate(effects):
        if effect.does == "extra":
            continue
        if not effect.dice or effect.does == "gain":
            known.append(effect)
            continue
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=aim.assault.user,
            stream=f"{aim.assault.user}/effect/{number}",
            purpose={"who": aim.assault.user, "whom": aim.target, "what": aim.assault.what},
            pool=[PoolDie(role="effect", sides=sides) for sides in effect.dice],
        )
        known.append(changed(effect, amount=effect.amount + roll.total, dice=()))
    return state, tuple(known)


def judged(world: State, attack: Unjudged, target: str, cover: Cover | None) -> AttackJudged:
    """Return what *attack* comes to against *target*, on what its group knew."""
    assault = Assault(
        user=attack.attacker,
        what=attack.what,
        targets=(target,),
        strike=attack.strike,
        defense_terms=attack.defense_terms if target == attack.target else EMPTY,
    )
    defenses = against(world, Aim(assault, target), attack.strike, cover)
    outcome, multiple = judge(attack.total, defenses, attack.strike)
    return AttackJudged(
        attacker=attack.attacker,
        target=target,
        what=attack.what,
        total=attack.total,
        outcome=outcome,
        multiple=multiple,
        redirected_streams=cover is not None and outcome in ("miss", "glance"),
        because=("RI-INFO-5",),
    )


def log_of(world: State) -> tuple[tuple[Atom, ...], tuple[AttackJudged, ...]]:
    """Return the group's log with its postponed attacks judged, and what they came to."""
    log: list[Atom] = []
    outcomes: list[AttackJudged] = []
    sheltering: dict[tuple[str, int], tuple[str, ...]] = {}
    for effect in world.effects:
        if effect.does != "attack":
            log.append(effect)
            continue
        attack = world.unjudged[effect.amount]
        outcomes.append(judged(world, attack, attack.target, attack.cover))
        if outcomes[-1].redirected_streams and attack.cover is not None:
            use = (attack.attacker, attack.use)
            attacked = sheltering.get(use, ())
            if not takes(world, attack.cover, (*attack.spared, *attacked)):
                continue
            sheltering[use] = (*attacked, attack.cover.by)
            outcomes.append(judged(world, attack, attack.cover.by, None))
        log += [
            changed(atom, seq=effect.seq, group=effect.group) for atom in doing(world, attack, outcomes[-1])
        ]
    return tuple(log), tuple(outcomes)


def doing(world: State, attack: Unjudged, came: AttackJudged) -> Iterator[Atom]:
    """Yield what a postponed attack does."""
    hit = came.outcome in ("hit", "crit")
    glances = came.outcome == "glance" or (came.outcome == "miss" and attack.strike.half_on_miss)
    amount = 0
    if attack.strike.damaging and (hit or glances):
        crit = came.multiple if may_be_crit(world.creatures[came.target]) else 0
        amount = attack.damage * (1 + crit)
        halves = glances + attack.subdual
        amount = at_least(world, halved(amount, halves) if halves else amount)
        sort: Sort = "subdual" if attack.subdual else attack.strike.sort
        yield Atom(
            seq=UNNUMBERED,
            source=attack.attacker,
            target=came.target,
            does="damage",
            amount=amount,
            sort=sort,
        )
    effects = attack.effects if hit else attack.on_miss
    if came.outcome == "crit":
        effects = (*effects, *attack.on_crit)
    if hit and amount > world.creatures[came.target].dr:
        effects = (*effects, *attack.on_loss)
    for effect in effects:
        yield _atom(world, attack, effect, came.target)


def _atom(world: State, attack: Unjudged, effect: Effect, target: str) -> Atom:
    gains = effect.does == "gain"
    assert effect.does != "push", "what shows itself is not kept back"
    assert effect.does != "knockback", "what shows itself is not kept back"
    assert effect.does != "extra", "extra damage is part of the attack"
    return Atom(
        seq=UNNUMBERED,
        source=attack.attacker,
        target=attack.attacker if effect.to == "self" else target,
        does=effect.does,
        amount=effect.amount,
        sort=effect.sort,
        condition=condition_of(effect, attack.attacker, world.round) if gains else None,
        name=effect.condition if effect.does == "lose" else attack.what,
    )

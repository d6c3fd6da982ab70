"""Play a scene at random: what it prefers comes first, most of the time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.timing.starting_combat import can_fight_again
from service.rules.kernel.messages import Offer
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from tests.rules.heartrush import master
from tests.rules.heartrush.bot import SIDES, Choice, choices
from tests.rules.heartrush.campaign import Campaign
from tests.rules.heartrush.scenes import SCENES, Scene

AT_EASE = ("setup", "ended")
EAGER = 0.8
"""How often a command that a scene wants is taken where it can be."""


@dataclass
class Staged(Campaign):
    """A campaign in a scene; it is over when the last of its fights is."""

    scene: Scene = SCENES[0]
    budget: int = 150

    def opening(self) -> dict[str, Any]:
        """Return the scene's opening; where the seed is odd, one side throws its own dice."""
        opening = self.scene.opening()
        opening["declared_sides"] = list(SIDES[: self.seed % 2])
        opening["options"] = {"timing": self.timing, "auto_end": False}
        return opening

    def play(self) -> Staged:
        """Begin, at once or after some leisure, and play until the budget is spent."""
        self.open()
        for step in (
            *master.coats(self.state),
            *(master.hiding(self.state) if self.scene.surprised else ()),
        ):
            self.attempt(*step)
        for number in range(1, self.scene.fights + 1):
            self.fight(self.budget * number // self.scene.fights)
        return self

    def fight(self, until: int) -> None:
        """Spend the leisure before a fight, then fight until so many commands are given in all."""
        leisure = min(self.commands + self.scene.leisure, until)
        while self.commands < leisure and self.state.phase in AT_EASE:
            self.go_on()
        while self.state.top is not None and self.state.top.kind != "combat":
            self.turn()
        if self.state.phase == "ended" and not can_fight_again(self.state):
            return  # what they met on their way was too much for them
        if self.state.phase in AT_EASE:
            self.begin()
        while self.commands < until and self.state.phase != "ended":
            self.go_on()
        while until < self.budget and self.state.phase != "ended":
            if self.attempt("end_combat", "gm", {}) is not None:
                self.go_on()

    def begin(self) -> None:
        """Begin combat; the weak may be taken by surprise."""
        weak = [name for name in self.state.creatures if self.state.creatures[name].side == SIDES[1]]
        taken = weak if self.scene.surprised else []
        unready = {"unaware_side": SIDES[1]} if self.scene.surprised or self.seed % 4 < 2 else {}
        refusal = self.attempt("begin_combat", "gm", {"surprised": taken, **unready})
        assert refusal is None, refusal

    def turn(self) -> bool:
        """Try a trick, or let somebody do something the scene wants, or anything at all."""
        luck = self.chance.random()
        if self.scene.tricks and luck < self.scene.meddling:
            moment = master.Moment(
                self.state, self.chance, *self.chance.choices(list(self.state.creatures), k=2)
            )
            step = self.chance.choice(self.scene.tricks)(moment)
            if step is not None:
                self.attempt(*step)
                return True
        choice = self.wanted() or (self.rarest() if self.chance.random() < EAGER else None) or self.pick()
        if choice is None:
            word = master.verdict(self.state, self.chance)
            return word is not None and self.attempt(*word) is None
        self.take(choice)
        return True

    def wanted(self) -> Choice | None:
        """Choose the first command the scene wants that anybody may give."""
        asked = list(waiting(self.state))
        self.chance.shuffle(asked)
        for name in ("choose_stance", *self.scene.wants):
            for awaited in asked:
                if name in awaited.accepts and self.chance.random() < EAGER:
                    offers = tuple(HEARTRUSH.commands[name].offers(view(self.state, awaited.seat), awaited))
                    liked = [offer for offer in offers if self._is_liked(offer.given)]
                    if liked:
                        return next(choices(self.chance, awaited, (self._bent(self.chance.choice(liked)),)))
        return None

    def _is_liked(self, given: Mapping[str, Any]) -> bool:
        return all(given[key] in values for key, values in self.scene.prefers.items() if key in given)

    def _bent(self, offer: Offer) -> Offer:
        """Return *offer* with nothing to choose but what the scene prefers, where it prefers anything."""
        prefers = dict(self.scene.prefers)
        if offer.type == "choose_stance":
            prefers["stance"] = (self.scene.stance(str(offer.creature), self.state.round),)
        left = {
            key: tuple(value for value in values if value in prefers.get(key, values)) or values
            for key, values in offer.choices.items()
        }
        return changed(offer, choices=left)

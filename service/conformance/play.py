"""Play an encounter of any ruleset by what it offers, and hold every step to the laws."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any, Final

from service.conformance.laws import LawBroken
from service.frames import places
from service.rules import shared
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor, Awaited, Command, Event, Fact, Offer, Private, Rolled
from service.rules.kernel.meter import TOO_MUCH_WORK
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import places_of_sealed, view
from service.rules.rolls.chance import Chance
from service.rules.ruleset import Decision, Ruleset, asked, decide, fold, legal, offered_data, waiting
from service.rules.table.table import GM
from service.simulation.table import secrets_of
from service.usecases import openings

COMBINATIONS: Final = 128
"""The most combinations of one offer that are looked at."""
REMEMBERED: Final = 300
"""The most commands that are tried again although they may not be offered any more."""
_SHARED: Final = frozenset(kind.type for kind in shared.COMMANDS)
_THROW: Final = "throw_dice"


@dataclass(frozen=True)
class Sent:
    """A command of a play: its seat, its type and its fields."""

    seat: str
    type: str
    data: Mapping[str, Any]

    def __str__(self) -> str:
        """Return the command as one line."""
        fields = " ".join(f"{name}={json.dumps(value)}" for name, value in self.data.items())
        return f"{self.seat}: {self.type} {fields}".rstrip()

    @property
    def key(self) -> str:
        """The command as text, by which two of them are the same."""
        return json.dumps([self.seat, self.type, self.data], sort_keys=True)


class Play:
    """One encounter, played at random; the same *seed* plays the same encounter."""

    def __init__(self, ruleset: Ruleset[Any], opening: Mapping[str, Any], seed: str) -> None:
        self.ruleset = ruleset
        self.random = Random(seed)  # noqa: S311 - a play at random, and no secret
        self.sent: list[Sent] = []
        self.facts: list[Fact[Any]] = []
        self.refused_by: set[str] = set()
        self._secrets = secrets_of(seed)
        self._known: dict[str, Sent] = {}
        self.state: Any = ruleset.blank
        self._open(opening)

    def _open(self, opening: Mapping[str, Any]) -> None:
        given = {name: value for name, value in opening.items() if name != "edition"}
        setup = to_data(self._secrets.setup())
        data = openings.opening_request(self.ruleset, self._secrets.encounter, setup, given)
        command = from_data(
            self.ruleset.opening, data, by=Actor(seat=GM, role=GM), families=self.ruleset.families
        )
        decision = self._decided(command, "the opening")
        if decision.refusal is not None:
            raise LawBroken("opens", f"the opening is refused: {decision.refusal.detail}")
        self._hold(command, decision, "the opening")
        self._accept(decision)

    def run(self, steps: int) -> None:
        """Play *steps* commands, or until nothing is offered; raises `LawBroken`."""
        for _ in range(steps):
            offered = self.look()
            if not offered:
                return
            self.send(self.random.choice(offered))

    # --- what is offered ------------------------------------------------------------------------------

    def look(self) -> list[Sent]:
        """Return every command that is offered; raises `LawBroken` unless they are what is accepted."""
        self._hold_seats()
        before = to_data(self.state)
        offered, is_whole = self._offered()
        for sent in offered:
            refusal = self._decided(self._command(sent), str(sent)).refusal
            if refusal is not None:
                raise LawBroken("offers", f"{sent} is offered, and refused: {refusal.detail}")
        if to_data(self.state) != before:
            raise LawBroken("folds", "a decision changes the state that it reads: use changed and with_key")
        keys = {sent.key for sent in offered}
        for known in list(self._known.values()) if is_whole else ():
            for seat in self.state.seats:
                tried = Sent(seat, known.type, known.data)
                if tried.key not in keys:
                    self._hold_unoffered(tried)
        if to_data(self.state) != before:
            raise LawBroken("refusals", "a check changes the state that it reads")
        for sent in offered:
            if len(self._known) < REMEMBERED and sent.type != _THROW:
                self._known[Sent("", sent.type, sent.data).key] = sent
        return offered

    def _hold_seats(self) -> None:
        """Hold every prompt to waiting for a seat that there is."""
        with self._law("offers", "what is awaited"):
            prompts = waiting(self.state)
        for awaited in prompts:
            if awaited.seat != GM and awaited.seat not in self.state.seats:
                raise LawBroken("offers", f"{awaited.prompt} waits for {awaited.seat}, which is not a seat")

    def _hold_unoffered(self, tried: Sent) -> None:
        decision = self._decided(self._command(tried), str(tried))
        if decision.refusal is None:
            raise LawBroken("accepts", f"{tried} is accepted, and not offered")
        if decision.refusal.rule:
            self.refused_by.add(decision.refusal.rule)
        stopped = changed(decision.state, stopped=self.state.stopped)
        if decision.facts or stopped != self.state:
            raise LawBroken("refusals", f"{tried} is refused, and the state is another one")

    def _offered(self) -> tuple[list[Sent], bool]:
        """Return the commands that are offered, and whether these are all of them."""
        found: dict[str, Sent] = {}
        is_whole = True
        for seat in self.state.seats:
            for awaited, offers in self._legal(seat):
                for offer in offers:
                    if offer.type in _SHARED and offer.type != _THROW:
                        continue
                    every = list(islice(self._spelled(seat, awaited, offer), COMBINATIONS + 1))
                    is_whole = is_whole and len(every) <= COMBINATIONS
                    found |= {sent.key: sent for sent in every[:COMBINATIONS]}
        return list(found.values()), is_whole

    def _legal(self, seat: str) -> list[tuple[Awaited, tuple[Offer, ...]]]:
        """Return what is offered to *seat*; raises `LawBroken` for a prompt or an offer without a command."""
        with self._law("offers", f"what {seat} may do"):
            prompts = asked(self.state, seat)
        for _, awaited in prompts:
            unknown = [name for name in awaited.accepts if name not in self.ruleset.commands]
            if unknown:
                raise LawBroken("listed", f"{awaited.prompt} accepts {unknown[0]}, which is not listed")
        with self._law("offers", f"what {seat} may do"):
            found = list(legal(self.ruleset, self.state, seat))
        for awaited, offers in found:
            if not offers and awaited.accepts and not awaited.optional:
                raise LawBroken("offers", f"{awaited.prompt} waits for {seat}, and offers nothing")
            for offer in offers:
                empty = [name for name, values in offer.choices.items() if not values]
                if empty:
                    raise LawBroken(
                        "offers", f"{awaited.prompt} offers {offer.type} without a value of {empty[0]}"
                    )
        return found

    def _spelled(self, seat: str, awaited: Awaited, offer: Offer) -> Iterator[Sent]:
        names = tuple(offer.choices)
        for chosen in product(*offer.choices.values()):
            given = {**offer.given, **offer.written, **dict(zip(names, chosen, strict=True))}
            data = offered_data(self.ruleset, changed(offer, given=given, choices={}))
            if awaited.wants:
                sides = [int(wanted.rpartition(":d")[2]) for wanted in awaited.wants]
                data["faces"] = [self.random.randint(1, each) for each in sides]
            yield Sent(seat, offer.type, data)

    # --- one command ----------------------------------------------------------------------------------

    def send(self, sent: Sent) -> bool:
        """Send a command and return whether it is accepted; raises `LawBroken`."""
        command = self._command(sent)
        decision = self._decided(command, str(sent))
        if decision.refusal is not None:
            return False
        self.sent.append(sent)
        self._hold(command, decision, str(sent))
        self._hold_secret(sent, command, decision)
        self._accept(decision)
        return True

    def _accept(self, decision: Decision[Any]) -> None:
        self.state = decision.state
        self.facts += decision.facts

    def _command(self, sent: Sent) -> Command[Any]:
        kind = self.ruleset.commands[sent.type]
        actor = Actor(seat=sent.seat, role=self.state.seats[sent.seat].role)
        return from_data(kind, sent.data, by=actor, families=self.ruleset.families)

    def _decided(self, command: Command[Any], what: str) -> Decision[Any]:
        try:
            decision = decide(self.state, command, Chance(self._secrets.dice_for(self.state)))
        except Exception as fault:  # whatever a ruleset's own code raises
            law = "rests" if "does not come to rest" in str(fault) else "decides"
            raise LawBroken(law, f"{what}: {self._said(fault)}") from fault
        if decision.refusal is not None and decision.refusal.code == TOO_MUCH_WORK:
            frame = f"; {decision.stuck_at} neither waits nor is popped" if decision.stuck_at else ""
            raise LawBroken("rests", f"{what}: {decision.refusal.detail}{frame}")
        return decision

    @contextmanager
    def _law(self, law: str, what: str) -> Iterator[None]:
        """Let an exception of the ruleset's own code break *law* while *what* is looked at."""
        try:
            yield
        except Exception as fault:  # whatever a ruleset's own code raises
            raise LawBroken(law, f"{what}: {self._said(fault)}") from fault

    def _said(self, fault: Exception) -> str:
        """Return the text of *fault* and the last line of the ruleset's sources that led to it."""
        said = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
        homes = tuple([f"{package}." for package in self.ruleset.packages])
        own = [place for place in places(fault) if f"{place.module}.".startswith(homes)]
        return f"{said} ({Path(own[-1].file).name}, line {own[-1].line})" if own else said

    def _hold(self, command: Command[Any], decision: Decision[Any], what: str) -> None:
        """Hold an accepted command to the laws of what it leads to."""
        families = self.ruleset.families
        if fold(self.state, decision.facts) != decision.state:
            raise LawBroken("folds", f"{what}: the events lead to another state")
        crowded = [pair for pair in decision.state.crowded() if pair not in self.state.crowded()]
        if crowded:
            raise LawBroken("spaces", f"{what}: {' and '.join(crowded[0])} are in one space")
        again = self._decided(command, what)
        if (again.facts, again.state) != (decision.facts, decision.state):
            raise LawBroken("repeats", f"{what}: decided again, it has other events")
        for fact in decision.facts:
            event = fact.event if isinstance(fact, Private) else fact
            if isinstance(event, Event) and not self._is_read_back(event, what):
                raise LawBroken("codec", f"{what}: {event.type} is another event once it is read")
        try:
            read = from_data(type(self.ruleset.blank), to_data(decision.state), families=families)
        except Exception as fault:  # whatever the reader of a ruleset's own types raises
            raise LawBroken("codec", f"{what}: its state cannot be read: {fault}") from fault
        if read != decision.state:
            raise LawBroken("codec", f"{what}: its state is another one once it is read")

    def _is_read_back(self, event: Event[Any], what: str) -> bool:
        if event.type not in self.ruleset.events:
            raise LawBroken("listed", f"{what}: the event {event.type} is not listed")
        try:
            data = {name: value for name, value in to_data(event).items() if name != "type"}
            read = from_data(type(event), data, families=self.ruleset.families)
        except Exception as fault:  # as for a state
            raise LawBroken("codec", f"{what}: {event.type} cannot be read: {fault}") from fault
        return bool(read == event)

    # --- secrets --------------------------------------------------------------------------------------

    def _hold_seals(self, decision: Decision[Any]) -> None:
        """Hold sealed events to an audience of seats, and open events to sealing nothing that they show."""
        state, known = self.state, dict(places_of_sealed(self.state))
        for fact in decision.facts:
            state = fact.evolve(state)
            before, known = known, dict(places_of_sealed(state))
            if isinstance(fact, Private):
                strangers = [name for name in fact.scope.audience if not self._is_seat(name)]
                if strangers:
                    raise LawBroken(
                        "secrecy", f"no seat is {strangers[0]!r}: an audience is written seat:NAME"
                    )
            elif isinstance(fact, Event) and not any(places_of_sealed(fact)):
                new = [place for place in known if place not in before]
                if new:
                    detail = f"{fact.type} is an open event and seals {new[0]}: emit it as Private"
                    raise LawBroken("secrecy", detail)

    def _is_seat(self, name: str) -> bool:
        kind, _, seat = name.partition(":")
        return kind == "seat" and (seat == GM or seat in self.state.seats)

    def _hold_secret(self, sent: Sent, command: Command[Any], decision: Decision[Any]) -> None:
        """Compare what others see with what they would see of another choice of the same seat."""
        self._hold_seals(decision)
        scope = command.scope(self.state)
        if scope is None or any(_opens(fact) for fact in decision.facts):
            return
        for other in self._offered()[0]:
            if (other.seat, other.type) != (sent.seat, sent.type) or other.key == sent.key:
                continue
            if other.data.get("creature") != sent.data.get("creature"):
                continue
            twin = self._decided(self._command(other), str(other))
            if twin.refusal is not None or any(_opens(fact) for fact in twin.facts):
                continue
            for seat in self.state.seats:
                if f"seat:{seat}" not in scope.audience:
                    with self._law("offers", f"what {seat} may do after {sent}"):
                        seen = _seen(self.ruleset, decision, seat), _seen(self.ruleset, twin, seat)
                    if seen[0] != seen[1]:
                        raise LawBroken("secrecy", f"{seat} sees a difference between {sent} and {other}")


def _opens(fact: Fact[Any]) -> bool:
    """Return whether *fact* opens envelopes for all."""
    return isinstance(fact, Event) and hasattr(fact, "occasion")


def _seen(ruleset: Ruleset[Any], decision: Decision[Any], seat: str) -> Sequence[Any]:
    """Return everything that *seat* sees of *decision*: its open events, state, prompts and offers."""
    mine = view(decision.state, seat)
    facts = [
        [to_data(fact.scope)] if isinstance(fact, Private) else [type(fact).__name__, _data(fact)]
        for fact in decision.facts
    ]
    options = [(awaited, offers) for awaited, offers in legal(ruleset, decision.state, seat)]
    return [facts, to_data(mine), waiting(mine), options]


def _data(fact: Event[Any] | Rolled[Any]) -> Any:  # noqa: ANN401 - JSON
    return str(fact.roll) if isinstance(fact, Rolled) else to_data(fact)

"""Let seats seal their own choices, so that the host cannot read a choice before all are made.

With the option `sealed_by: seat` a seat answers a prompt for a secret choice in two steps. It first sends a
commitment (`seal_choice`): a hash of the choice and of a salt that it draws itself. When every choice of the
moment is committed to, each seat opens its own (`open_choice`), and the rules decide it as if it were sent
then. A choice that is refused when it is opened counts as none, and so does one that the GM declares
forfeited, because nobody sealed or opened it in time (`forfeit_choice`).

A frame that asks for secret choices calls `to_seal` and `to_open`. A ruleset lists a `SecretChoice`, which
names the commands that are such choices and emits what no choice means.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from service.dice.chain import choice_commitment
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.kernel.families import Families
from service.rules.kernel.hexadecimal import check_hex
from service.rules.kernel.messages import (
    TABLE,
    Answering,
    Awaited,
    Command,
    Emits,
    Event,
    Noted,
    Private,
    Refused,
    Scope,
)
from service.rules.kernel.records import EMPTY, changed, derived, record, with_key, without_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import view
from service.rules.kernel.values import (
    ChoiceCommitment,
    Code,
    CommandData,
    CreatureId,
    Hexadecimal,
    PromptId,
    Reason,
    SeatId,
)
from service.rules.secrecy.gm_only import knows_more, refuse_without_reason
from service.rules.table.choices import SealedChoice
from service.rules.table.stack import owed
from service.rules.table.table import GM, Table

TABLE_CHOICE_1: Final = Rule(
    "TABLE-CHOICE-1",
    "If seats seal their choices, each choice is committed to before any is opened.",
    RULING,
)
TABLE_CHOICE_2: Final = Rule(
    "TABLE-CHOICE-2",
    "Once all choices of a moment are committed to, each seat opens its own, and nothing else fits.",
    RULING,
)
TABLE_CHOICE_3: Final = Rule(
    "TABLE-CHOICE-3",
    "A choice that the rules refuse when it is opened counts as no choice.",
    RULING,
)
TABLE_CHOICE_4: Final = Rule(
    "TABLE-CHOICE-4",
    "The GM may declare a choice forfeited that was not sealed or opened in time; it counts as no choice.",
    RULING,
)

S = TypeVar("S", bound=Table)
Kind: TypeAlias = type[Command[Any]]

OPTION: Final = "sealed_by"
SEAT: Final = "seat"
REASON_LENGTH: Final = 500
CHOICE_LENGTH: Final = 8_192
"""The most bytes of a choice's canonical JSON."""
MALFORMED: Final = "commitment_malformed"


class SecretChoice(Generic[S]):
    """A kind of secret choice of a ruleset: its commands, and what a missing choice means."""

    commands: ClassVar[tuple[type[Command[Any]], ...]]

    def no_choice(self, state: S, creature: str) -> Emits[S]:
        """Emit what happens to *creature*, whose choice is missing; *state* is that of its place."""
        raise NotImplementedError


def by_seats(state: Table) -> bool:
    """Return whether seats seal their own choices."""
    return state.options.get(OPTION) == SEAT


def kinds_of(state: Table) -> Mapping[str, tuple[type[Command[Any]], SecretChoice[Any]]]:
    """Return the commands that are secret choices, with their kind, by type; none where the service seals."""
    if not by_seats(state):
        return EMPTY
    made = (kind() for kind in state.families.listed(SecretChoice))
    return {command.type: (command, kind) for kind in made for command in kind.commands}


# --- what is awaited ---------------------------------------------------------------------------------


@enforces(TABLE_CHOICE_1)
def to_seal(state: Table, answers: Iterable[Awaited]) -> tuple[Awaited, ...]:
    """Return which of *answers*, which ask for secret choices, wait for a commitment."""
    known = kinds_of(state)
    return tuple(
        [
            changed(
                each,
                accepts=(SealChoice.type, *[name for name in each.accepts if name not in known]),
                seals=_secret(known, each),
            )
            for each in answers
            if each.prompt not in state.sealed_choices
        ]
    )


def _secret(known: Mapping[str, object], awaited: Awaited) -> tuple[str, ...]:
    return tuple([name for name in awaited.accepts if name in known])


@enforces(TABLE_CHOICE_2)
def to_open(state: Table, answers: Iterable[Awaited]) -> tuple[Awaited, ...]:
    """Return which of *answers* have a commitment that waits to be opened."""
    known = kinds_of(state)
    return tuple(
        [
            changed(each, accepts=(OpenChoice.type,), seals=_secret(known, each))
            for each in answers
            if each.prompt in state.sealed_choices
        ]
    )


def refuse_unsealed(view: Table, command: Command[Any]) -> None:
    """Raise `Refused` for a secret choice that is sent as it is, where seats seal their choices."""
    if command.type in kinds_of(view):
        raise Refused(
            "choice_not_sealed", f"send {SealChoice.type} with a commitment to it", TABLE_CHOICE_1.id
        )


def _sealed_by_service(view: S) -> S:
    """Return *view* as if the service sealed choices: there the choice is judged that a seat opens."""
    return changed(view, options=without_key(view.options, OPTION))


def _answers(local: Table) -> tuple[Awaited, ...]:
    return local.top.waiting(local) if local.top is not None else ()


def _place_of(seen: Table, prompt: str) -> str:
    """Return the place, the table or a group, that waits at *prompt*."""
    return next((place for place in seen.apart if owed(_answers(seen.at(place)), prompt)), TABLE)


# --- facts -------------------------------------------------------------------------------------------


@record
class ChoiceCommitted(Event[Table]):
    """A seat committed to its choice."""

    type: ClassVar[str] = "seat_choice_committed"
    prompt: PromptId
    creature: CreatureId
    seat: SeatId
    commitment: ChoiceCommitment

    def evolve(self, state: Table) -> Table:
        sealed = SealedChoice(seat=self.seat, commitment=self.commitment)
        return changed(state, sealed_choices=with_key(state.sealed_choices, self.prompt, sealed))


@record
class ChoiceOpened(Event[Table]):
    """A seat opened the choice that it had committed to."""

    type: ClassVar[str] = "seat_choice_opened"
    prompt: PromptId
    creature: CreatureId
    seat: SeatId
    choice: CommandData
    """The command that was chosen: its type and its fields, as it was committed to."""
    salt: Hexadecimal
    """The 32 bytes that the seat drew for its commitment, in hexadecimal digits."""

    def evolve(self, state: Table) -> Table:
        return _without(state, self.prompt)


@record
class ChoiceVoided(Noted[Table]):
    """The rules refuse a choice that was opened; it counts as none."""

    type: ClassVar[str] = "seat_choice_voided"
    decides: ClassVar[str] = "forfeit"
    prompt: PromptId
    creature: CreatureId
    code: Code
    """The code with which the rules refuse the choice."""
    detail: Reason
    """Why the rules refuse the choice."""


@record
class ChoiceForfeited(Event[Table]):
    """The GM declared a choice forfeited; it counts as none."""

    type: ClassVar[str] = "seat_choice_forfeited"
    decides: ClassVar[str] = "forfeit"
    prompt: PromptId
    creature: CreatureId
    seat: SeatId
    reason: Reason

    def evolve(self, state: Table) -> Table:
        return _without(state, self.prompt)


def _without(state: Table, prompt: str) -> Table:
    if prompt not in state.sealed_choices:
        return state
    return changed(state, sealed_choices=without_key(state.sealed_choices, prompt))


# --- commands ----------------------------------------------------------------------------------------


def canonical(choice: Mapping[str, Any]) -> bytes:
    """Return the bytes of *choice* that its commitment covers: canonical JSON, as in the record."""
    spelled = json.dumps(to_data(choice), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return spelled.encode()


def commitment_of(state: Table, seat: str, prompt: str, salt: bytes, choice: Mapping[str, Any]) -> str:
    """Return the commitment of *seat* to its *choice* at *prompt*, in lower-case hexadecimal digits."""
    eid = bytes.fromhex((state.dice.chain or state.encounter).replace("-", ""))
    return choice_commitment(eid, seat, prompt, salt, canonical(choice)).hex()


def _check_awaited(view: Table, command: SealChoice | OpenChoice) -> None:
    """Raise `Refused` unless *command* answers its prompt."""
    found = owed(_answers(view), command.prompt)
    if found is None or command.type not in found.accepts:
        raise Refused("not_awaited", f"{command.prompt} does not wait for {command.type}")
    if (found.seat, found.creature) != (command.by.seat, command.creature):
        text = f"{command.prompt} is not asked of {command.by.seat}"
        raise Refused("not_your_prompt", text, "TABLE-SEAT-1")


@enforces(TABLE_CHOICE_1)
@record
class SealChoice(Answering[Table]):
    """Commit to a secret choice by a hash of it and of a salt; open both once all have committed."""

    type: ClassVar[str] = "seal_choice"
    sentence: ClassVar[str] = "Commit to a choice that nobody can read yet"
    creature: CreatureId
    prompt: PromptId
    commitment: Hexadecimal
    """SHA-256 of the choice, the salt and where they belong, in hexadecimal digits (see the format)."""

    def place(self, view: Table) -> str:
        return _place_of(view, self.prompt)

    def check(self, view: Table) -> None:
        check_hex(self.commitment, "a commitment", MALFORMED)
        _check_awaited(view, self)

    def decide(self, state: Table) -> Emits[Table]:
        return (
            yield ChoiceCommitted(
                prompt=self.prompt, creature=self.creature, seat=self.by.seat, commitment=self.commitment
            )
        )


@enforces(TABLE_CHOICE_2)
@record
class OpenChoice(Answering[Table]):
    """Open the choice that the seat has committed to; it is decided as if it were sent now."""

    type: ClassVar[str] = "open_choice"
    sentence: ClassVar[str] = "Open what you have committed to"
    creature: CreatureId
    prompt: PromptId
    choice: CommandData
    """The command that was chosen: its type and its fields, exactly as it was committed to."""
    salt: Hexadecimal
    """The 32 bytes that were drawn for the commitment, in hexadecimal digits."""

    def place(self, view: Table) -> str:
        return _place_of(view, self.prompt)

    def scope(self, state: Table) -> Scope | None:
        seen = view(state, self.by.seat)
        try:
            inner = self.inner(seen.at(self.place(seen)))
        except Refused:
            return super().scope(state)
        return inner.scope(state)

    def inner(self, view: Table) -> Command[Any]:
        """Return the command that was chosen; raises `Refused` unless it answers the prompt."""
        commands = {name: command for name, (command, _) in kinds_of(view).items()}
        given = {name: value for name, value in self.choice.items() if name != "type"}
        kind = commands.get(str(self.choice.get("type")))
        fields = getattr(kind, "__dataclass_fields__", {})
        if kind is None or given.get("creature") != self.creature:
            raise Refused(
                "choice_malformed", f"the choice is not one that {self.creature} has here", TABLE_CHOICE_2.id
            )
        if "prompt" in fields and given.get("prompt") != self.prompt:
            raise Refused("choice_malformed", f"the choice does not answer {self.prompt}", TABLE_CHOICE_2.id)
        try:
            return self._read(kind, given, view.families)
        except Malformed as fault:
            raise Refused(
                "choice_malformed", f"/choice{fault.pointer}: {fault.expected}", TABLE_CHOICE_2.id
            ) from fault

    def _read(self, kind: Kind, given: Mapping[str, Any], families: Families) -> Command[Any]:
        """Return the command of *kind* with the data *given*, read once for the scope, the check and more."""

        def read(_: OpenChoice) -> Command[Any]:
            return from_data(kind, to_data(given), families=families, by=self.by)

        return derived(self, "choice", read)

    def check(self, view: Table) -> None:
        check_hex(self.salt, "a salt", MALFORMED)
        if len(canonical(self.choice)) > CHOICE_LENGTH:
            raise Refused(
                "choice_malformed", f"a choice has at most {CHOICE_LENGTH} bytes", TABLE_CHOICE_2.id
            )
        _check_awaited(view, self)
        made = commitment_of(view, self.by.seat, self.prompt, bytes.fromhex(self.salt), self.choice)
        if made != view.sealed_choices[self.prompt].commitment:
            raise Refused(
                "choice_does_not_fit", "this choice and salt do not match their commitment", TABLE_CHOICE_2.id
            )

    def decide(self, state: Table) -> Emits[Table]:
        awaited = owed(_answers(state), self.prompt)
        assert awaited is not None, "check has found it"
        opened = ChoiceOpened(
            prompt=self.prompt,
            creature=self.creature,
            seat=self.by.seat,
            choice=self.choice,
            salt=self.salt,
            because=(TABLE_CHOICE_2.id,),
        )
        try:
            inner = self.inner(state)
            inner.check(_sealed_by_service(view(state, self.by.seat)))
        except Refused as refused:
            state = yield opened
            hides = knows_more(state, self.by)
            return (yield from _void(state, self, awaited, refuse_without_reason() if hides else refused))
        scope = inner.scope(state)
        state = yield (opened if scope is None else Private(scope=scope, event=opened))
        after: Table = yield from inner.decide(state)
        return after


@enforces(TABLE_CHOICE_3)
def _void(state: Table, command: OpenChoice, awaited: Awaited, refused: Refused) -> Emits[Table]:
    """Emit that the choice of *command*, which answers *awaited*, counts as none."""
    state = yield ChoiceVoided(
        prompt=command.prompt, creature=command.creature, code=refused.code, detail=refused.detail
    )
    return (yield from _take_none(state, command.creature, awaited))


def _take_none(state: Table, creature: str, awaited: Awaited) -> Emits[Table]:
    """Emit that *creature* has made no choice where *awaited* asks for one."""
    _, kind = kinds_of(state)[awaited.seals[0]]
    after: Table = yield from kind.no_choice(state, creature)
    return after


@enforces(TABLE_CHOICE_4)
@record
class ForfeitChoice(Command[Table]):
    """Declare, as the GM, that a choice was not sealed or opened in time; it counts as no choice."""

    type: ClassVar[str] = "forfeit_choice"
    prompt: PromptId
    reason: Reason

    def place(self, view: Table) -> str:
        return _place_of(view, self.prompt)

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm", TABLE_CHOICE_4.id)
        found = owed(_answers(view), self.prompt)
        if found is None or not {SealChoice.type, OpenChoice.type} & set(found.accepts):
            raise Refused("not_awaited", f"no choice is awaited at {self.prompt}", TABLE_CHOICE_4.id)
        if not 0 < len(self.reason) <= REASON_LENGTH:
            raise Refused("params_missing", f"a reason of 1 to {REASON_LENGTH} characters", TABLE_CHOICE_4.id)

    def decide(self, state: Table) -> Emits[Table]:
        found = owed(_answers(state), self.prompt)
        assert found is not None, "check has found it"
        creature = found.creature or ""
        state = yield ChoiceForfeited(
            prompt=self.prompt, creature=creature, seat=found.seat, reason=self.reason
        )
        return (yield from _take_none(state, creature, found))

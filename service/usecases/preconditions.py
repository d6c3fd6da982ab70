"""Refuse before the append what only the record can judge: unknown commits, lines that are not in play.

Rules see a state, not the commits behind it. A command that is refused here leaves no trace. One set of
checks serves single commands, arrays, previews and the commands that come with a fork.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from service.core.continuation import line_id
from service.core.continuation_plan import NOT_REPEATED
from service.core.decide import UNSIGNED
from service.core.lineage import ABOUT_LINES, ends_redoing
from service.core.sealed_check import check_nothing_sealed
from service.record.canonical import commit_hash
from service.record.commit import Request, load_request
from service.record.statements import is_signed_by
from service.rules.contests.acceptance import AcceptLine
from service.rules.contests.amendments import AcceptAmendment, Amend, Redo, Undo
from service.rules.contests.contests import OpenContest
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Actor, Command, Refused
from service.rules.rolls.closing import CloseEncounter
from service.rules.rolls.epochs import AcceptHistory
from service.rules.ruleset import ChecksInOrder, check
from service.rules.table.seats import TABLE_SIGN_1
from service.rules.table.table import GM, Table
from service.stores.disputes import Disputes
from service.usecases.accepted_lines import begin_accepted_line, is_draft
from service.usecases.contests import check_moment
from service.usecases.services import Services

NOT_INSTEAD: Final = frozenset((*NOT_REPEATED, CloseEncounter.type, AcceptHistory.type))
"""Commands that cannot replace a contested one: they are not play, or they end it."""

PLAYER: Final = "player"
"""The role whose commands are held to bounds of their own, so that they leave room for the GM's."""

NOT_OWN: Final = ("no_such_creature", "not_your_creature")
"""The codes of refusals that a player's own view decides."""

Check = Callable[[Services, str, Mapping[str, Any]], None]
Effect = Callable[[Services, str, Mapping[str, Any], int], None]
"""What follows from an appended command: its encounter, its data, its number. It may block."""
CommandInput = tuple[type[Command[Any]], Mapping[str, Any]]
"""A command as received: its class, and data that fits its schema."""


def check_array(commands: Iterable[CommandInput]) -> None:
    """Raise `Refused` if a command of an array must be a request of its own."""
    for kind, _ in commands:
        rule = terms_of(kind).alone
        if rule is not None:
            raise Refused("not_in_an_array", f"{kind.type} must be a request of its own", rule)


def check_each(
    services: Services,
    encounter: str,
    actor: Actor,
    commands: Sequence[CommandInput],
    state: Callable[[], Table],
    *,
    reveals: bool,
) -> None:
    """Raise `Refused` for an illegal command that must leave no trace on the record of *encounter*.

    A command that would be sealed is checked on the seat's own view of *state* after those before it, as far
    as the seat knows what comes of them. If *reveals*, a refusal could reveal something GM-only
    (`TABLE-GMONLY-4`), so every command is checked.
    """
    begun: Table | None = None
    checks: ChecksInOrder[Table] | None = None
    for kind, data in commands:
        precondition = terms_of(kind).precondition
        if precondition is not None:
            precondition(services, encounter, data)
        if reveals or may_seal(kind):
            if begun is None or checks is None:
                begun = state()
                checks = ChecksInOrder(begun)
            command = from_data(kind, data, families=begun.families, by=actor)
            if reveals or command.scope(begun) is not None:
                checks.check(command)


def check_own(
    actor: Actor, commands: Iterable[CommandInput], kept: Table, state: Callable[[], Table]
) -> None:
    """Raise `Refused` if a player's command is for a creature that is another's, or that it does not see.

    Everybody knows that beforehand, so the record gains nothing by it, and a player could fill it. *kept* is
    a state of this process; only if it raises a doubt is *state*, which has everything that is appended,
    asked.
    """
    if actor.role != PLAYER:
        return
    for kind, data in commands:
        creature = data.get("creature")
        if not isinstance(creature, str) or kept.controller(creature) == actor.seat:
            continue
        now = state()
        if now.controller(creature) == actor.seat:
            continue
        try:
            check(now, from_data(kind, data, families=now.families, by=actor))
        except Refused as refused:
            if refused.code in NOT_OWN:
                raise


def may_seal(kind: type[Command[Any]]) -> bool:
    """Return whether commands of *kind* may have a sealed scope."""
    return kind.scope is not Command.scope or kind.place is not Command.place


def check_line(services: Services, encounter: str) -> None:
    """Raise `Refused` for a line of play that continues in another, or that is only proposed."""
    kept = services.folder.kept(encounter)
    if kept is not None and kept.state.continued is not None:
        raise Refused("encounter_continued", f"it continues as {kept.state.continued}", "TABLE-AMEND-3")
    entry = services.encounters.find(encounter)
    if entry is None or entry.root is None:
        return
    if is_draft(services, encounter):
        raise Refused("line_not_accepted", "the line is proposed, not accepted", "TABLE-AMEND-3")
    begin_accepted_line(services, encounter)


def check_signature(services: Services, state: Table, request: Request) -> None:
    """Raise `Refused` unless *request* is signed as its seat demands, on a commit of this line of play."""
    seat, signed = state.seats.get(request.actor.seat), request.signed
    key = None if seat is None else seat.key
    if key is None:
        if signed is not None:
            detail = f"{request.actor.seat} has no key; set_seat_key sets one"
            raise Refused("no_key", detail, TABLE_SIGN_1.id)
        return
    if signed is None:
        detail = f"{request.actor.seat} has a key, and the command is not signed by it"
        raise Refused(UNSIGNED, detail, TABLE_SIGN_1.id)
    if not is_signed_by(request, key):
        detail = "the signature is false: it covers another command, idempotency key, line of play or head"
        raise Refused("signature_false", detail, TABLE_SIGN_1.id)
    commits = services.log.commits(request.encounter, signed.n - 1, 1)
    if not commits or commit_hash(commits[0].raw).hex() != signed.hash:
        detail = f"the signature names a commit {signed.n} that is not in this line of play; read it again"
        raise Refused("other_history", detail, TABLE_SIGN_1.id)


def check_in_line(types: Iterable[str]) -> None:
    """Raise `Refused` if a command is about lines of play; only commands within a line are allowed."""
    for type_ in types:
        if type_ in ABOUT_LINES:
            raise Refused("not_in_line", f"{type_} is about a line of play, not in it", "TABLE-LINE-1")


def _check_contest(services: Services, encounter: str, data: Mapping[str, Any]) -> None:
    check_moment(services, encounter, data["commit"], data.get("event"), data.get("roll"))


def _check_amend(services: Services, encounter: str, data: Mapping[str, Any]) -> None:
    """Refuse a correction that is not play, of the opening, or of what is still sealed from the GM."""
    for each in data["instead"]:
        if each["type"] in NOT_INSTEAD:
            raise Refused("not_in_line", f"{each['type']} does not correct what was played", "TABLE-AMEND-1")
    contest = services.folder.current(encounter).state.contests.get(data["contest"])
    if contest is None or contest.line != encounter:
        return
    if contest.commit < 2:  # noqa: PLR2004 - commit 1 is the opening
        raise Refused("opening_stands", "the opening cannot be undone", "TABLE-AMEND-2")
    last = services.folder.current(encounter).n
    check_nothing_sealed(services, encounter, contest.commit - 1, GM, "TABLE-AMEND-1", upto=last)


def _check_undo(services: Services, encounter: str, data: Mapping[str, Any]) -> None:
    """Refuse to undo a commit that is not there, or only the acceptance of this line."""
    head = services.log.head(encounter)
    last = head.folded if head is not None else 0
    entries = services.log.commands(encounter, last - 1, 1)
    is_taken_up = any(load_request(entry.raw).type == AcceptLine.type for entry in entries)
    if data["commit"] > last - is_taken_up:
        wanted, newest = data["commit"] - 1, last - is_taken_up
        detail = f"nothing comes after version {wanted}: the newest is {newest}"
        raise Refused("no_such_moment", detail, "TABLE-AMEND-2")


def _check_redo(services: Services, encounter: str, data: Mapping[str, Any]) -> None:  # noqa: ARG001 - every check has one signature
    """Refuse to redo if play continued since the last undo or redo, because it would be discarded."""
    head = services.log.head(encounter)
    if head is not None and ends_redoing(services, encounter, head.folded):
        raise Refused("nothing_to_redo", "play has continued since the last undo or redo", "TABLE-AMEND-2")


def _check_accept(services: Services, encounter: str, data: Mapping[str, Any]) -> None:
    """Refuse to accept a line other than the proposed one in its present state."""
    line = line_id(encounter, data["amendment"])
    head = services.log.head(line)
    said = data["head"]
    if data["encounter"] != line or head is None or (head.folded, head.hash) != (said["n"], said["hash"]):
        raise Refused("other_line", "that is not the line that was proposed", "TABLE-AMEND-3")
    if head.appended != head.folded:
        raise Refused("amendment_undecided", "the line is still being decided", "TABLE-AMEND-3")
    if not services.folder.current(line).state.draft:  # its beginning was set aside, so it has no plan
        raise Refused("other_line", "the line that was proposed did not begin", "TABLE-AMEND-3")


def _check_history(services: Services, encounter: str, data: Mapping[str, Any]) -> None:
    Disputes(services.log).check_named(encounter, data)


def _accept_history(services: Services, encounter: str, data: Mapping[str, Any], n: int) -> None:
    """Close the dispute that the command names."""
    Disputes(services.log).accept(encounter, data, n)


@dataclass(frozen=True)
class CommandTerms:
    """What is declared of a command besides its rules: what must hold before its append, and what follows."""

    precondition: Check | None = None
    alone: str | None = None
    """The rule by which it must be a request of its own, because it replaces the line or its history."""
    effect: Effect | None = None


TERMS: Final[Mapping[type[Command[Any]], CommandTerms]] = MappingProxyType(
    {
        OpenContest: CommandTerms(_check_contest),
        Amend: CommandTerms(_check_amend),
        Undo: CommandTerms(_check_undo),
        Redo: CommandTerms(_check_redo),
        AcceptAmendment: CommandTerms(_check_accept, alone="TABLE-AMEND-3"),
        AcceptHistory: CommandTerms(_check_history, alone="TABLE-EPOCH-3", effect=_accept_history),
    }
)
_NO_TERMS: Final = CommandTerms()


def terms_of(kind: type[Command[Any]]) -> CommandTerms:
    """Return what holds for commands of *kind* besides their rules."""
    return TERMS.get(kind, _NO_TERMS)

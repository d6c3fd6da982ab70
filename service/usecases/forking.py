"""Fork an encounter: create an encounter that continues another from a commit, with dice of its own.

Laws. A fork never writes to its parent, and does not need it once it is open. A fork reveals neither dice to
come nor seals: its seed is new, and it cannot be made at a moment where anything is sealed from its maker.
The maker is the fork's GM and commands every creature in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from service.core.continuation import inherited_occasions, line_id
from service.core.fork_state import fork_state
from service.core.sealed_check import check_nothing_sealed
from service.log import Appended, IdempotencyKey, KeyReused
from service.record.digest import ruleset_digest
from service.rules.contests.continuing import BeginLine, split_sealed
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor, Refused
from service.rules.kernel.records import changed
from service.rules.rolls.seeding import Seeding
from service.rules.table.lines import FORK, Origin
from service.rules.table.table import GM, DiceSetup, Table
from service.stores import forks
from service.stores.encounter_index import EncounterEntry, expiry
from service.stores.secrets import EncounterSecrets
from service.usecases.accepted_lines import is_draft
from service.usecases.openings import encounter_id
from service.usecases.preconditions import CommandInput, check_array, check_each, check_in_line
from service.usecases.sending import CommandDraft, append, now
from service.usecases.services import Services

RULE: Final = "TABLE-LINE-2"
DAY_S: Final = 86_400.0
MOST: Final = 200
"""The most live forks of one owner's encounters, over all makers."""

MOST_OF_A_SEAT: Final = 10
"""The most live forks of one encounter that one seat other than the GM's may have."""


class TooManyForks(Exception):
    """*whose* has *most* live forks, the most that are allowed."""

    def __init__(self, most: int, whose: str) -> None:
        super().__init__(f"{whose} has {most} forks; delete one, or wait until one expires")
        self.most = most


class ForkExpired(Exception):
    """The fork that this idempotency key created has expired; it is not created a second time."""

    def __init__(self, entry: EncounterEntry) -> None:
        super().__init__(f"the fork {entry.encounter} expired at {entry.expires}")


@dataclass(frozen=True)
class CreatedFork:
    """A fork on the record: its entry, and the numbers of its opening requests."""

    entry: EncounterEntry
    sent: Appended


def fork(
    services: Services,
    parent: str,
    at: int,
    seat: str,
    role: str,
    commands: Sequence[CommandInput],
    once: IdempotencyKey,
) -> CreatedFork:
    """Append the opening of a fork of *parent* after commit *at*, and *commands* of its GM behind it.

    Raises `Refused` if *seat* may not fork or a precondition of one of *commands* fails, `KeyReused`,
    `TooManyForks`, and `ForkExpired` if this key's fork has expired.
    """
    owner = services.encounters.find(parent)
    assert owner is not None, "a parent has an owner"
    encounter = encounter_id(services, owner.owner, f"fork {parent} {once.scope} {once.key}")
    standing = services.encounters.find(encounter)
    if standing is not None and standing.has_expired(services.clock()):
        raise ForkExpired(standing)
    known = services.log.find_key(encounter, once.scope, once.key)
    if known is not None and known.fingerprint != once.fingerprint:
        raise KeyReused(known.n)
    if known is None:
        services.capacity.check(owner.owner, encounters=1, commands=1 + len(commands))
    _check(services, parent, at, seat, role)
    if standing is None:
        _check_room(services, owner, seat, role)
    secrets, gm = EncounterSecrets.create(encounter), Actor(seat=GM, role=GM)
    first = _first(services, encounter, parent, at, secrets.setup(Seeding()))
    check_in_line(kind.type for kind, _ in commands)
    check_array(commands)
    check_each(services, encounter, gm, commands, lambda: first, reveals=False)
    told_at = now(services)
    entry = replace(
        owner,
        encounter=encounter,
        opened=told_at,
        root=None,
        expires=expiry(services.clock() + services.fork_days * DAY_S),
        imported=False,
        parent=parent,
        made_by=seat,
    )
    forks.add(services.log, entry)
    entry = services.encounters.enter(entry)
    services.encounters.finish(encounter)  # a fork must not count as an unfinished fight
    opening = CommandDraft(BeginLine.type, _opening(services, parent, at, first), gm, told_at)
    more = [CommandDraft(kind.type, data, gm, told_at) for kind, data in commands]
    blob = secrets.encrypt(services.secrets_key)
    return CreatedFork(entry, append(services, encounter, opening, once, create=True, more=more, secret=blob))


def end(services: Services, fork: EncounterEntry) -> EncounterEntry:
    """End a fork now, with every line that continues it; return its entry after that."""
    for line in _lines(services, fork.encounter):
        services.encounters.end(line, services.clock())
    forks.drop(services.log, fork)
    return services.encounters.end(fork, services.clock())


def _lines(services: Services, encounter: str) -> Iterator[EncounterEntry]:
    """Yield the lines that continue *encounter*, proposed or accepted, and those that continue them."""
    if services.log.head(encounter) is None:
        return
    for number in range(1, services.folder.current(encounter).state.amendments + 1):
        line = services.encounters.find(line_id(encounter, f"a{number}"))
        if line is not None:
            yield line
            yield from _lines(services, line.encounter)


def _check_room(services: Services, parent: EncounterEntry, seat: str, role: str) -> None:
    """Raise `TooManyForks` if the owner, or a seat of the encounter, has as many as allowed."""
    live = [
        each
        for each in forks.of_owner(services.log, services.encounters, parent.owner)
        if is_live(services, each)
    ]
    if len(live) >= MOST:
        raise TooManyForks(MOST, "the owner")
    mine = [each for each in live if (each.parent, each.made_by) == (parent.encounter, seat)]
    if role != GM and len(mine) >= MOST_OF_A_SEAT:
        raise TooManyForks(MOST_OF_A_SEAT, f"the seat {seat}")


def is_live(services: Services, fork: EncounterEntry) -> bool:
    """Return whether a fork with an entry is on the record and has not expired."""
    return not fork.has_expired(services.clock()) and services.log.head(fork.encounter) is not None


def _check(services: Services, parent: str, at: int, seat: str, role: str) -> None:
    """Raise `Refused` if the fork would reveal more to its maker than that seat may know."""
    now_ = services.folder.current(parent).state
    if is_draft(services, parent):
        raise Refused("line_not_accepted", "the line is proposed, not accepted", RULE)
    if role != GM and (not now_.closed or now_.continued is not None):
        raise Refused("not_gm", "only the GM may fork an encounter before it closes", RULE)
    state = services.folder.at(parent, at).state
    if state.closed:
        raise Refused("closed_here", f"nothing follows commit {at}", RULE)
    check_nothing_sealed(services, parent, at, seat, RULE)


def _first(services: Services, encounter: str, parent: str, at: int, dice: DiceSetup) -> Table:
    """Return the state with which the fork *encounter* begins."""
    before = services.folder.at(parent, at)
    state: Table = changed(
        fork_state(before.state),
        encounter=encounter,
        digest=ruleset_digest(before.ruleset),
        dice=dice,
        origin=Origin(parent=parent, n=at, hash=before.hash, upto=at, kind=FORK),
    )
    return state


def _opening(services: Services, parent: str, at: int, state: Table) -> dict[str, Any]:
    """Return the data of the request that opens the fork with *state*."""
    everybody, _ = split_sealed(state)
    return {
        "encounter": state.encounter,
        "edition": state.edition,
        "digest": state.digest,
        "dice": to_data(state.dice),
        "origin": to_data(state.origin),
        "state": everybody.data,
        "orders": to_data(everybody.orders),
        "occasions": list(inherited_occasions(services, parent, at, state)),
    }

"""Open encounters: validate the opening, draw the secrets, and append commit 1's request.

An invalid opening leaves no encounter. The step that appends stores the secrets, and they are never read
here; a retry discards the secrets it drew. The encounter's id is derived from the owner and the idempotency
key, so a retry finds the same encounter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from hmac import digest as hmac_digest
from typing import Any, Final
from uuid import UUID

from service.log import Appended, IdempotencyKey, KeyReused
from service.record.digest import ruleset_digest
from service.record.ids import uuid8
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.kernel.messages import Actor, Refused
from service.rules.rolls.seeding import Seeding
from service.rules.ruleset import Ruleset, check
from service.rules.table.table import GM, DiceSetup
from service.stores.disputes import Dispute
from service.stores.encounter_index import EncounterEntry
from service.stores.removals import Removal
from service.stores.secrets import EncounterSecrets
from service.usecases.sending import CommandDraft, append, now
from service.usecases.services import Services


class EncounterRemoved(Exception):
    """The encounter was removed; it is not opened a second time."""

    def __init__(self, removal: Removal) -> None:
        super().__init__(removal.encounter)
        self.removal = removal


class EncounterMissing(Exception):
    """The encounter was signed and is not in the store; no other takes its place."""

    def __init__(self, dispute: Dispute) -> None:
        super().__init__(dispute.text)
        self.dispute = dispute


_NOBODY: Final = str(UUID(int=0))
_LABEL: Final = b"rewound/encounter-id/1\x00"

_GIVEN_BY_US: Final = ("by", "encounter", "edition", "digest", "dice")
"""Fields of every opening command that the service fills in."""

_NESTED: Final = "opening"


def opening_fields(ruleset: Ruleset[Any]) -> tuple[str, ...]:
    """Return the fields of the opening command that a client fills in: `opening`, or several plain ones."""
    return tuple(f.name for f in fields(ruleset.opening) if f.name not in _GIVEN_BY_US)


def opening_request(
    ruleset: Ruleset[Any], encounter: str, dice: object, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the data of the opening request, made from the client's *data*."""
    given = {_NESTED: data} if opening_fields(ruleset) == (_NESTED,) else dict(data)
    digest = ruleset_digest(ruleset)
    return {"encounter": encounter, "edition": ruleset.edition, "digest": digest, "dice": dice, **given}


def opening_faults(ruleset: Ruleset[Any], data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the faults of *data*, which fits its schema, as pairs (JSON pointer, detail)."""
    seeding = _seeding(data)
    dice = DiceSetup(algorithm="", mode=seeding.mode, lanes=(), seats=seeding.seats)
    request = opening_request(ruleset, _NOBODY, to_data(dice), data)
    gm = Actor(seat=GM, role=GM)
    try:
        command = from_data(ruleset.opening, request, families=ruleset.families, by=gm)
    except Malformed as fault:  # a caller other than the API has not held it to its schema
        return ((fault.pointer.removeprefix("/opening"), fault.expected),)
    look = getattr(command, "check_opening", None)
    found: tuple[tuple[str, str], ...] = tuple(look()) if look is not None else ()
    if not found:
        try:
            check(ruleset.blank, command)
        except Refused as refused:
            return (("", refused.detail),)
    return found


def _seeding(data: Mapping[str, Any]) -> Seeding:
    """Return the seeding that an opening asks for."""
    return from_data(Seeding, data.get("seeding", {}), "/seeding")


def encounter_id(services: Services, owner: str, key: str) -> str:
    """Return the UUID (version 8) of the encounter that *owner* opens with the idempotency *key*."""
    said = _LABEL + owner.encode() + b"\x00" + key.encode()
    return uuid8(hmac_digest(services.service_key, said, sha256))


def open_encounter(
    services: Services, owner: str, ruleset: Ruleset[Any], data: Mapping[str, Any], once: IdempotencyKey
) -> tuple[EncounterEntry, Appended]:
    """Append the opening of an encounter that passed `opening_faults`; the same *once* finds it later.

    Raises `KeyReused` if the key was used for another opening, `EncounterRemoved` if the encounter was
    removed, `EncounterMissing` if it was lost, `StoreFull` and `QuotaExceeded` if there is no room.
    """
    encounter = encounter_id(services, owner, once.key)
    gone = services.removals.anew(encounter)
    if gone is not None:
        raise EncounterRemoved(gone)
    lost = services.missing.anew(encounter)
    if lost is not None:
        raise EncounterMissing(lost)
    known = services.log.find_key(encounter, once.scope, once.key)
    if known is not None and known.fingerprint != once.fingerprint:
        raise KeyReused(known.n)
    if known is None:
        services.tree_heads.note(encounter, None)  # nothing of it is signed yet
        services.capacity.check(owner, encounters=1)
    at = now(services)
    title = str(data.get("title") or "")
    entry = services.encounters.enter(EncounterEntry(encounter, owner, ruleset.edition, title, at))
    seeding = _seeding(data)
    secrets = EncounterSecrets.create(encounter, seeding.epochs)
    setup = secrets.setup(seeding, services.encounters.unfinished_before(entry))
    request = opening_request(ruleset, encounter, to_data(setup), data)
    gm = Actor(seat=GM, role=GM)
    wanted, blob = CommandDraft(ruleset.opening.type, request, gm, at), secrets.encrypt(services.secrets_key)
    return entry, append(services, encounter, wanted, once, create=True, secret=blob)

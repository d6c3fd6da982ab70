"""Seal the seeds of encounters with another secret key, while they are played.

Only the ciphertext changes. A seed is never written except in place of itself, so an encounter that is
removed meanwhile stays removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from service.log import Log
from service.stores import encounter_index
from service.stores.secrets import EncounterSecrets, Undecipherable

_PAGE: Final = 500


def encounters(log: Log) -> Iterator[str]:
    """Yield every encounter of the store, archived ones too."""
    before = None
    while page := log.records(encounter_index.COLLECTION, before, _PAGE):
        yield from (record.id for record in page)
        before = page[-1].number


def sealed_by(log: Log, encounter: str, keys: Sequence[bytes]) -> tuple[bool, int | None]:
    """Return whether *encounter* has seeds, and the place of the key that opens them, None if no key does."""
    blob = log.secret(encounter)
    if blob is None:
        return False, None
    for place, key in enumerate(keys):
        try:
            EncounterSecrets.decrypt(encounter, blob, (key,))
        except Undecipherable:
            continue
        return True, place
    return True, None


def reseal(log: Log, encounter: str, keys: Sequence[bytes]) -> bool:
    """Seal the seeds of *encounter* with the first of *keys*; return whether that changed anything.

    Raises `Undecipherable` if no key opens them.
    """
    has_seeds, place = sealed_by(log, encounter, keys)
    if not has_seeds or place == 0:
        return False
    blob = log.secret(encounter)
    if blob is None:  # it has just been removed
        return False
    return log.replace_secret(encounter, EncounterSecrets.decrypt(encounter, blob, keys).encrypt(keys[0]))

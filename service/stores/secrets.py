"""The secrets of encounters: the seeds of the dice and the secret of the envelopes.

They are drawn once, before commit 1, and stored encrypted (AES-256-GCM, bound to the encounter's id). No
repr, no message and no log line shows them.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import urandom
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.dice.chain import DEFAULT_EPOCHS, LANES, Chain, seal
from service.dice.encoding import ALGORITHM, HASH_BYTES, hkdf
from service.dice.source import SeededDice
from service.key_files import Keyring
from service.record.canonical import eid_of, envelope_salt
from service.rules.rolls.seeding import Seeding
from service.rules.table.table import DiceSetup, Lane, Table

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_BY_THE_HOST: Final = Seeding()
_SERVICE_KEY: Final = b"rewound/service-key/1"
_LINE: Final = b"rewound/line-secret/1\x00"


def service_key_of(ring: Keyring) -> bytes:
    """Return the service key: what *ring* says, or what follows from its only key."""
    return ring.tokens or hkdf(salt=b"", ikm=ring.keys[0], info=_SERVICE_KEY)


def opened_by_one(keys: Sequence[bytes], blob: bytes, bound_to: bytes) -> bytes | None:
    """Return what a nonce and a ciphertext under one of *keys* are; None if no key opens them."""
    for key in keys:
        with suppress(InvalidTag, ValueError):
            return AESGCM(key).decrypt(blob[:_NONCE_BYTES], blob[_NONCE_BYTES:], bound_to)
    return None


class Undecipherable(Exception):
    """A stored secret cannot be decrypted: another key, another encounter, or damaged bytes."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"the secret of {encounter} cannot be decrypted with this key")
        self.encounter = encounter


@dataclass(frozen=True)
class EncounterSecrets:
    """The secrets of one encounter: a seed and a number of epochs by lane, and the envelope secret."""

    encounter: str
    seeds: Mapping[int, bytes] = field(repr=False)
    epochs: Mapping[int, int]
    envelope_secret: bytes = field(repr=False)
    chain: str | None = None
    """The encounter whose dice these are, if it is another: a line of play continues with the same dice."""
    marks: Mapping[int, Mapping[int, bytes]] = field(default_factory=dict, repr=False, compare=False)
    """The marks of the lanes' chains, as who drew the seeds has computed them; none is computed again."""
    _dice: dict[str, SeededDice] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The dice by their seal."""

    @classmethod
    def create(cls, encounter: str, epochs: int = DEFAULT_EPOCHS) -> EncounterSecrets:
        """Draw the secrets of a new encounter, with a seed for each lane."""
        seeds = {lane: urandom(HASH_BYTES) for lane in LANES}
        drawn = cls(encounter, seeds, dict.fromkeys(LANES, epochs), urandom(HASH_BYTES))
        return replace(drawn, marks={lane: chain.marks for lane, chain in drawn.chains.items()})

    @cached_property
    def chains(self) -> Mapping[int, Chain]:
        """The hash chains of the lanes."""
        eid = eid_of(self.chain or self.encounter)
        return {
            lane: Chain(seed, eid, lane, self.epochs[lane], self.marks.get(lane, {}))
            for lane, seed in sorted(self.seeds.items())
        }

    def dice_for(self, table: Table) -> SeededDice:
        """Return the dice, sealed with the seats' seeds once *table* has them all (mode `mixed`).

        Before that the rules throw no dice, and a link needs no seal.
        """
        revealed_seal = table.sealing.seal
        if revealed_seal not in self._dice:
            eid = eid_of(self.chain or self.encounter)
            anchors = [chain.anchor for chain in self.chains.values()]
            sealed = bytes.fromhex(revealed_seal) if revealed_seal else seal(eid, anchors, {})
            self._dice[revealed_seal] = SeededDice(eid, sealed, self.chains)
        return self._dice[revealed_seal]

    def setup(self, seeding: Seeding = _BY_THE_HOST, abandoned_before: int = 0) -> DiceSetup:
        """Return the data about the dice that commit 1 publishes."""
        lanes = [chain.anchor for chain in self.chains.values()]
        return DiceSetup(
            algorithm=ALGORITHM,
            mode=seeding.mode,
            lanes=tuple(Lane(lane=a.lane, n=a.n, anchor=a.value.hex()) for a in lanes),
            seats=seeding.seats,
            abandoned_before=abandoned_before,
        )

    def continued(self, encounter: str) -> EncounterSecrets:
        """Return the secrets of a line of play that continues this one: the same dice, its own salts."""
        label = _LINE + eid_of(encounter)
        own = hkdf(salt=eid_of(self.encounter), ikm=self.envelope_secret, info=label)
        return replace(self, encounter=encounter, chain=self.chain or self.encounter, envelope_secret=own)

    def are_of(self, table: Table) -> bool:
        """Return whether *table* was opened with these dice; True if it is not open yet."""
        published = [lane.anchor for lane in table.dice.lanes]
        return not published or published == self.anchors

    @cached_property
    def anchors(self) -> list[str]:
        """The anchors of the lanes' chains that commit 1 publishes, in the order of the lanes."""
        return [chain.anchor.value.hex() for chain in self.chains.values()]

    def salt(self, request: bytes, n: int, index: int) -> bytes:
        """Return the salt of the envelope at *index* of commit *n*; *request* is the request's digest."""
        return envelope_salt(self.encounter, self.envelope_secret, request, n, index)

    def encrypt(self, key: bytes) -> bytes:
        """Return the secrets as stored: a nonce, then the ciphertext under *key*."""
        text = json.dumps(
            {
                "v": 1,
                "seeds": {str(lane): b64encode(seed).decode() for lane, seed in self.seeds.items()},
                "epochs": {str(lane): epochs for lane, epochs in self.epochs.items()},
                "envelopes": b64encode(self.envelope_secret).decode(),
                "chain": self.chain,
                "marks": {
                    str(lane): {str(i): b64encode(link).decode() for i, link in chain.marks.items()}
                    for lane, chain in self.chains.items()
                },
            }
        )
        nonce = urandom(_NONCE_BYTES)
        return nonce + AESGCM(key).encrypt(nonce, text.encode(), self.encounter.encode())

    @classmethod
    def decrypt(cls, encounter: str, blob: bytes, keys: Sequence[bytes]) -> EncounterSecrets:
        """Return what `encrypt` stored for *encounter* under one of *keys*; raise `Undecipherable`."""
        text = opened_by_one(keys, blob, encounter.encode())
        if text is None:
            raise Undecipherable(encounter)
        data = json.loads(text)
        return cls(
            encounter=encounter,
            seeds={int(lane): b64decode(seed) for lane, seed in data["seeds"].items()},
            epochs={int(lane): epochs for lane, epochs in data["epochs"].items()},
            envelope_secret=b64decode(data["envelopes"]),
            chain=data.get("chain"),
            marks={
                int(lane): {int(i): b64decode(link) for i, link in marks.items()}
                for lane, marks in data.get("marks", {}).items()
            },
        )

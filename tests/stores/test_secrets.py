"""Secrets: what is stored opens for the right key and encounter alone, and nothing shows them."""

import pytest

from service.dice.chain import walk
from service.record.canonical import eid_of, envelope_salt
from service.stores.secrets import EncounterSecrets, Undecipherable
from tests.support.tiny_table import KEY, eid


def test_what_was_encrypted_comes_back() -> None:
    secrets = EncounterSecrets.create(eid())

    assert EncounterSecrets.decrypt(eid(), secrets.encrypt(KEY), (KEY,)) == secrets


def test_two_encounters_and_two_encryptions_share_nothing() -> None:
    one, other = EncounterSecrets.create(eid(1)), EncounterSecrets.create(eid(1))

    assert one.seeds != other.seeds
    assert one.envelope_secret != other.envelope_secret
    assert one.encrypt(KEY) != one.encrypt(KEY)


@pytest.mark.parametrize(
    ("encounter", "key", "cut"),
    [(eid(1), b"\x01" * 32, 0), (eid(2), KEY, 0), (eid(1), KEY, 1), (eid(1), KEY, 1000)],
)
def test_another_key_another_encounter_or_damage_opens_nothing(encounter: str, key: bytes, cut: int) -> None:
    blob = EncounterSecrets.create(eid(1)).encrypt(KEY)

    with pytest.raises(Undecipherable):
        EncounterSecrets.decrypt(encounter, blob[: len(blob) - cut], (key,))


def test_a_secret_shows_itself_nowhere() -> None:
    secrets = EncounterSecrets.create(eid())
    shown = repr(secrets)

    for secret in (secrets.seeds[0], secrets.envelope_secret):
        assert repr(secret) not in shown
        assert secret.hex() not in shown


def test_what_is_published_of_the_dice_is_the_end_of_their_chain() -> None:
    secrets = EncounterSecrets.create(eid(), epochs=32)
    setup = secrets.setup()

    assert (setup.algorithm, setup.mode) == ("rewound/dice/1", "server")
    assert [(lane.lane, lane.n) for lane in setup.lanes] == [(0, 32), (1, 32)]
    for lane in setup.lanes:
        assert walk(eid_of(eid()), lane.lane, 32, secrets.seeds[lane.lane], 0).hex() == lane.anchor
    assert secrets.seeds[0] != secrets.seeds[1]


def test_a_salt_is_the_logs() -> None:
    secrets = EncounterSecrets.create(eid())
    digest = bytes(range(32))

    assert secrets.salt(digest, 7, 2) == envelope_salt(eid(), secrets.envelope_secret, digest, 7, 2)

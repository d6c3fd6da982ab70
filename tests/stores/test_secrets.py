"""Secrets: what is stored opens for the right key and encounter alone, and nothing shows them."""

import json
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.dice.chain import walk
from service.record.canonical import eid_of, envelope_salt
from service.stores.secrets import EncounterSecrets, Undecipherable
from tests.support.tiny_table import KEY, eid


def test_what_was_encrypted_comes_back() -> None:
    secrets = EncounterSecrets.create(eid())

    assert EncounterSecrets.decrypt(eid(), secrets.encrypt(KEY), (KEY,)) == secrets


def test_who_decrypts_does_not_compute_the_chains_again(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = EncounterSecrets.create(eid())
    setup, blob = secrets.setup(), secrets.encrypt(KEY)
    monkeypatch.setattr("service.dice.chain.walk", None)

    found = EncounterSecrets.decrypt(eid(), blob, (KEY,))

    assert found.setup() == setup
    assert found.continued(eid(2)).anchors == secrets.anchors
    assert found.encrypt(KEY)


def test_secrets_of_an_earlier_build_have_the_same_dice() -> None:
    secrets = EncounterSecrets.create(eid())
    text = json.dumps(
        {
            "v": 1,
            "seeds": {str(lane): b64encode(seed).decode() for lane, seed in secrets.seeds.items()},
            "epochs": {"0": 4096, "1": 4096},
            "envelopes": b64encode(secrets.envelope_secret).decode(),
        }
    )
    blob = bytes(12) + AESGCM(KEY).encrypt(bytes(12), text.encode(), eid().encode())

    found = EncounterSecrets.decrypt(eid(), blob, (KEY,))

    assert (found, found.setup()) == (secrets, secrets.setup())


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

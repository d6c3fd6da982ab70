"""Seeds, keys, salts and sealed choices stand in no answer, log line or job; planted ones are found."""

from __future__ import annotations

import json
import time
import zlib
from contextlib import closing

import pytest
import redis
import structlog

from service.api.app import create_app
from service.key_files import Keyring
from service.record.intervals import EVERY
from service.stores import api_keys
from service.stores.encounter_index import EncounterEntry
from service.usecases.services import make_services
from tests.api.client import Api
from tests.support.canaries import hits, of_dice, spellings
from tests.support.tiny_game import EDITION, SHELF
from tests.support.tiny_table import KEY, eid, secrets_of
from tests.support.waiting import until
from tests.workers.conftest import Hall

CANARY = "the password is xyzzy-plugh"
PATHS = (
    *("", "/state", "/options?text=en", "/commits", "/rolls"),
    *("/rounds", "/seats", "/bundle", "/checkpoints"),
)


def played(hall: Hall) -> str:
    """Return a game in the middle of an epoch that real workers have folded, with things sealed in it."""
    encounter = eid(7)
    hall.open(encounter)
    hall.start()
    for type_, data in (
        ("roll", {}),
        ("whisper", {"to": ["ada"], "note": CANARY}),
        ("end_round", {}),
        ("roll_behind_screen", {"dice": [20, 20], "what": CANARY}),
        ("roll", {"sides": 20}),
        ("add", {"amount": 12}),
    ):
        hall.do(encounter, type_, **data)
    for _ in range(EVERY):
        hall.do(encounter, "add", amount=1)
    hall.until_folded()
    until(lambda: hall.log.snapshots(encounter), "the snapshot")
    return encounter


def kept_states(hall: Hall, encounter: str) -> bytes:
    """Return the states that the store keeps, as they are spelled."""
    kept = [hall.log.snapshot(encounter, name) for name in hall.log.snapshots(encounter)]
    return b"".join(zlib.decompress(each.blob[32:]) for each in kept if each is not None)


def jobs(queue: redis.Redis) -> bytes:
    """Return everything that RQ's store holds."""
    return b"\n".join(name + (queue.dump(name) or b"") for name in queue.scan_iter())


def answers(hall: Hall, encounter: str) -> bytes:
    """Return what the seat bo, to whom nothing is sealed, gets of everything it may ask for."""
    services = make_services(
        hall.log, SHELF, ring=lambda _: None, clock=time.time, keys=Keyring.of(KEY), mode="durable"
    )
    with closing(services.outcomes):
        token, key = api_keys.create(hall.log, "tests", time.time())
        services.encounters.enter(
            EncounterEntry(encounter, key.owner, EDITION, "", "2026-01-02T00:00:00.000Z")
        )
        owner = Api(create_app(services), token)
        at = f"/v1/encounters/{encounter}"
        hall.start()
        issued = owner("POST", f"{at}/seats/bo/token", {}, Prefer="wait=20")
        assert issued.status_code == 201, issued.text
        bo = owner.with_token(json.loads(issued.text)["token"])
        head = bo.get(at)["version"]
        paths = [
            *PATHS,
            *(f"/commits/{n}/explanation?consulted=true" for n in range(1, head + 1)),
            "/rounds/1/replay?events=true",
        ]
        found = [bo("GET", at + path) for path in paths]
        operator, _ = api_keys.create(hall.log, "operator", time.time(), scopes=("operator",))
        found.append(owner.with_token(operator)("GET", "/metrics"))
        assert b"rewound_" in found[-1].data, found[-1].text
    return b"\n".join(str(dict(answer.headers)).encode() + answer.data for answer in found)


def test_no_secret_stands_in_an_answer_a_log_line_or_a_job(
    hall: Hall, capfd: pytest.CaptureFixture[str]
) -> None:
    """The API's lines are those of all answers that were read here, at the lowest level."""
    encounter = played(hall)
    assert CANARY.encode() in kept_states(hall, encounter)
    secrets = {**of_dice(secrets_of(encounter), epoch=2), "a sealed choice": CANARY.encode()}
    secrets |= {f"salt {p.n}-{p.index}": p.raw[:32] for p in hall.log.sealed(encounter, 0, 100)}
    places = {"the answers": answers(hall, encounter), "RQ's store": jobs(hall.queue)}
    lines = capfd.readouterr()
    places["the API's log"] = f"{lines.out}{lines.err}".encode()
    assert b"http.answered" in places["the API's log"]
    places |= {str(worker.output.name): worker.output.read_bytes() for worker in hall.workers}
    assert all(places[name] for name in ("the answers", hall.workers[0].output.name))

    assert hits(secrets, places) == []
    structlog.get_logger().info("oops", seed=secrets["the seed of lane 0"].hex())
    planted = {"the API's log": capfd.readouterr().out.encode()}
    planted["the metrics"] = b'rewound_oops{key="' + secrets["the seed of lane 0"].hex().encode() + b'"} 1'
    found = hits(secrets, planted)
    assert [hit for hit in found if "the API's log" in hit]
    assert [hit for hit in found if "the metrics" in hit]


@pytest.mark.parametrize("encoding", list(spellings(bytes(range(7, 39)))))
def test_the_scanner_finds_what_is_planted(encoding: str) -> None:
    secret = bytes(range(7, 39))
    leak = b'{"event": "oops", "bytes": "' + spellings(secret)[encoding] + b'"}'

    assert any(f"as {encoding}" in hit for hit in hits({"it": secret}, {"a log": leak}))
    assert hits({"it": secret[::-1][:31] + b"x"}, {"a log": leak}) == []

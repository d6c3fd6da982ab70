"""A client that a public generator makes from `openapi.yaml` plays the sample fight, as our own two do.

What is hashed holds the encounter's id, times, its dice's seal and random bytes. So the clients are compared
three times: in encounters of their own by every event and roll; in one encounter, taking turns, by the hash
of its head; and by every commit's hash at three services in which everything that differs between two runs is
counted instead of drawn, and where each plays the whole fight alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from threading import Thread
from typing import Any, Final

import pytest
from werkzeug.serving import make_server

from rewound_client import Rewound
from tests.api.test_secrecy import served
from tests.clients.conftest import ROOT, Host
from tests.clients.generated import Generated, made
from tests.clients.players import OfGenerator, OfPython, clients

pytestmark = [pytest.mark.slow, pytest.mark.overnight]

NAMES: Final = ("python", "javascript", "generated")
Json = dict[str, Any]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    with made(tmp_path_factory.mktemp("generated")) as found:
        yield found


@pytest.fixture(scope="module")
def mutual_kill() -> Json:
    """Give the sample fight of the other rulebook."""
    text = (ROOT / "examples" / "mutual-kill.json").read_text("utf-8")
    form: Json = json.loads(text)["forms"]["one-phase"]
    return form


@contextmanager
def counted() -> Iterator[Host]:
    """Serve over HTTP with clock, ids, nonces and seeds as they are in every other such service."""
    with served() as api:
        server = make_server("127.0.0.1", 0, api.app, threaded=True)
        running = Thread(target=server.serve_forever)
        running.start()
        try:
            assert api.token is not None
            yield Host(f"http://127.0.0.1:{server.port}", api.token)
        finally:
            server.shutdown()
            running.join()
            server.server_close()


def steps(form: Json) -> list[tuple[str, Json]]:
    return [(step["seat"], step["send"]) for step in form["steps"] if "send" in step]


def told(outcome: Json) -> str:
    """Return what an outcome says of the fight, without what is its encounter's own: hash and dice's link."""
    events = [{name: value for name, value in event.items() if name != "link"} for event in outcome["events"]]
    held = {name: outcome.get(name) for name in ("n", "outcome", "rolls", "prompt", "version")}
    return json.dumps({**held, "events": events}, sort_keys=True)


def test_in_encounters_of_their_own_all_are_told_the_same_fight(
    generated: Generated, host: Host, forms: Json
) -> None:
    form = forms["s002"]
    with clients(host, generated) as players:
        outcomes = []
        for name in NAMES:
            players[name].opened(form["opening"], f"by-{name}")
            outcomes.append([told(players[name].send(seat, command)) for seat, command in steps(form)])
        assert outcomes[0] == outcomes[1] == outcomes[2]
        assert len(outcomes[0]) == len(steps(form))


def test_the_last_state_differs_in_what_is_the_encounters_own_alone(
    generated: Generated, host: Host, forms: Json
) -> None:
    form = forms["s002"]
    with clients(host, generated) as players:
        ours, theirs = players["python"], players["generated"]
        for player, key in ((ours, "ours"), (theirs, "theirs")):
            player.opened(form["opening"], key)
            for seat, command in steps(form):
                player.send(seat, command)
        assert isinstance(ours, OfPython)
        assert isinstance(theirs, OfGenerator)
        gm = generated.client(base_url=host.address, token=host.key, timeout=40.0)
        with gm:
            read = generated.done("state.get_state", theirs.encounter, client=gm).to_dict()
        state = ours.seats["gm"].state()["state"]
    differs = {name for name, value in state.items() if read["state"][name] != value}
    assert differs == {"dice", "encounter"}, "the rest is the fight"


def test_all_three_take_turns_in_one_encounter_and_tell_one_head_hash(
    generated: Generated, host: Host, rewound: Rewound, forms: Json
) -> None:
    form = forms["s002"]
    gm = rewound.open(form["opening"])
    tokens = {each["seat"]: gm.issue_token(each["seat"])["token"] for each in form["opening"]["seats"]}
    with clients(host, generated) as players:
        for player in players.values():
            player.joined(gm.encounter, {"gm": host.key, **tokens})
        for name, (seat, command) in zip(cycle(NAMES), steps(form), strict=False):
            sent = players[name].send(seat, command)
            assert {player.head() for player in players.values()} == {sent["hash"]}


@pytest.mark.parametrize("book", ["heartrush", "rise"])
def test_each_plays_the_whole_fight_alone_to_the_same_head_hash(
    generated: Generated, forms: Json, mutual_kill: Json, book: str
) -> None:
    form = forms["s002"] if book == "heartrush" else mutual_kill
    heads = {}
    for name in NAMES:
        with counted() as service, clients(service, generated) as players:
            players[name].opened(form["opening"], "the-same-fight")
            hashes = [players[name].send(seat, command)["hash"] for seat, command in steps(form)]
            players[name].closed()
            heads[name] = [*hashes, players[name].head()]
    assert heads["python"] == heads["javascript"] == heads["generated"]
    assert len(set(heads["python"])) == len(steps(form)) + 1


def test_what_options_offer_is_read_by_the_generated_client(
    generated: Generated, host: Host, forms: Json
) -> None:
    form = forms["s002"]
    gm = generated.client(base_url=host.address, token=host.key, timeout=40.0)
    with gm:
        encounter = generated.open(gm, form["opening"], "read-options")
        generated.send(encounter, gm, steps(form)[0][1])
        options = generated.done("state.get_options", encounter, client=gm)
    offers = [offer for option in options.options for offer in option.commands]
    assert "grant_priority" in {offer.command.type_ for offer in offers}

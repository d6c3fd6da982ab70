"""A client that a public generator makes from `openapi.yaml` plays the sample fight, as our own does.

Two encounters cannot have one head hash: what is hashed holds the encounter's id, times, its dice's seal and
random bytes. So the clients are compared twice: in encounters of their own by every event and roll and by the
last state, and in one encounter, taking turns, by the hash of its head.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest
import yaml

from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host

GENERATOR: Final = (sys.executable, "-m", "openapi_python_client", "generate")
BYTES: Final = "application/octet-stream"
FILES: Final = ("application/jsonl", "application/yaml", "*/*")
"""What the generator does not know and is told to take as bytes."""
PACKAGE: Final = "rewound_generated"
WAIT: Final = "wait=30"
Json = dict[str, Any]


@dataclass(frozen=True)
class Generated:
    """The generated package, and the classes that it has for commands by their type."""

    models: Any
    api: Callable[[str], Any]
    client: Any
    kinds: Json

    def done(self, operation: str, *arguments: Any, client: Any, **more: Any) -> Any:
        """Return the parsed answer of an operation; fails unless it is a good one."""
        answer = self.api(operation).sync_detailed(*arguments, client=client, **more)
        assert answer.status_code < 300, answer.content
        assert answer.parsed is not None, f"{operation} is not described"
        return answer.parsed

    def send(self, encounter: Any, seat: Any, command: Json) -> Json:
        """Send *command* as an object of its class; return the outcome as JSON."""
        body = getattr(self.models, self.kinds[command["type"]]).from_dict(command)
        assert body.to_dict() == command
        told: Json = self.done(
            "commands.send_command", encounter, client=seat, body=body, prefer=WAIT
        ).to_dict()
        return told


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    home = tmp_path_factory.mktemp("generated")
    config = home / "config.json"
    config.write_text(json.dumps({"content_type_overrides": dict.fromkeys(FILES, BYTES), "post_hooks": []}))
    to, how = home / PACKAGE, ("--meta", "none", "--fail-on-warning", "--config", config)
    told = subprocess.run(
        [*GENERATOR, *how, "--path", ROOT / "openapi.yaml", "--output-path", to],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    sys.path.insert(0, str(home))
    try:
        contract = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
        mapping = contract["components"]["schemas"]["Heartrush1Command"]["discriminator"]["mapping"]
        yield Generated(
            importlib.import_module(f"{PACKAGE}.models"),
            lambda name: importlib.import_module(f"{PACKAGE}.api.{name}"),
            importlib.import_module(f"{PACKAGE}.client").AuthenticatedClient,
            {type_: at.rpartition("/")[2] for type_, at in mapping.items()},
        )
    finally:
        sys.path.remove(str(home))


@contextmanager
def sat_down(generated: Generated, host: Host, opening: Json) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open an encounter with the generated client; give its id and a client for each seat."""
    gm = generated.client(base_url=host.address, token=host.key, timeout=40.0)
    body = generated.models.Heartrush1Opening.from_dict(opening)
    encounter = generated.done("encounters.open_encounter", client=gm, body=body, prefer=WAIT).encounter
    seats = {"gm": gm}
    for entry in opening["seats"]:
        issued = generated.done(
            "seats.issue_token",
            encounter,
            entry["seat"],
            client=gm,
            body=generated.models.Nothing(),
            prefer=WAIT,
        )
        seats[entry["seat"]] = generated.client(base_url=host.address, token=issued.token, timeout=40.0)
    try:
        yield encounter, seats
    finally:
        for seat in seats.values():
            seat.get_httpx_client().close()


def steps(form: Json) -> list[tuple[str, Json]]:
    return [(step["seat"], step["send"]) for step in form["steps"] if "send" in step]


def told(outcome: Json) -> str:
    """Return what an outcome says of the fight, without what is its encounter's own: hash and dice's link."""
    events = [{name: value for name, value in event.items() if name != "link"} for event in outcome["events"]]
    held = {name: outcome.get(name) for name in ("n", "outcome", "rolls", "prompt", "version")}
    return json.dumps({**held, "events": events}, sort_keys=True)


def test_the_generated_client_and_ours_play_the_same_fight(
    generated: Generated, host: Host, rewound: Rewound, forms: Json
) -> None:
    form = forms["s002"]
    with sat_down(generated, host, form["opening"]) as (encounter, seats):
        theirs = [generated.send(encounter, seats[seat], command) for seat, command in steps(form)]
        gm = rewound.open(form["opening"])
        tables = {"gm": gm} | {entry["seat"]: gm.sit(entry["seat"]) for entry in form["opening"]["seats"]}
        ours: list[Any] = [tables[seat].send(command) for seat, command in steps(form)]
        for one, other in zip(theirs, ours, strict=True):
            assert told(one) == told(other)
        read = generated.done("state.get_state", encounter, client=seats["gm"]).to_dict()
        differs = {name for name, value in gm.state()["state"].items() if read["state"][name] != value}
        assert differs == {"dice", "encounter"}, "the rest is the fight"
        assert generated.done("encounters.get_encounter", encounter, client=seats["gm"]).hash_ == read["hash"]


def test_both_take_turns_in_one_encounter_and_tell_one_head_hash(
    generated: Generated, host: Host, rewound: Rewound, forms: Json
) -> None:
    form = forms["s002"]
    with sat_down(generated, host, form["opening"]) as (encounter, seats):
        table = rewound.encounter(str(encounter))
        tables = {name: table.with_token(client.token) for name, client in seats.items()}
        for turn, (seat, command) in enumerate(steps(form)):
            sent: Any = (
                tables[seat].send(command) if turn % 2 else generated.send(encounter, seats[seat], command)
            )
            theirs = generated.done("encounters.get_encounter", encounter, client=seats["gm"])
            assert theirs.hash_ == sent["hash"] == table.get()["hash"]


def test_what_options_offer_is_read_by_the_generated_client(
    generated: Generated, host: Host, forms: Json
) -> None:
    with sat_down(generated, host, forms["s002"]["opening"]) as (encounter, seats):
        generated.send(encounter, seats["gm"], steps(forms["s002"])[0][1])
        options = generated.done("state.get_options", encounter, client=seats["gm"])
        offers = [offer for option in options.options for offer in option.commands]
        assert "grant_priority" in {offer.type_ for offer in offers}

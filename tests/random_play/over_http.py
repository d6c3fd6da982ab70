"""Hold a random fight over HTTP to what its options and its end promise, under any book.

The fight is `mirrored`: every command is decided in the test and sent too. Here stands what the tests of both
books ask of such a fight besides: the same offers for every seat, and an audit that finds it valid.
"""

from __future__ import annotations

import json
import re
from threading import Event
from typing import Any

from rewound_client import with_lists
from service.core import views
from service.rules.ruleset import Ruleset, legal
from service.stores.jobs import AUDITS
from service.usecases.services import Services
from tests.api.client import Api
from tests.api.conftest import BOTH
from tests.support.http_mirror import Mirror
from workers.audits import Auditor


def same_offers(mirror: Mirror, ruleset: Ruleset[Any], state: Any) -> set[str]:
    """Fail unless each seat is offered over HTTP what rules offer it here; return the seats with offers."""
    offered = set()
    for seat in state.seats:
        there = with_lists(mirror.at_seat(seat).get(f"{mirror.at}/options"))["options"]
        places = views.places(ruleset, state, seat)
        here = [
            {
                "prompt": views.prompt_data(awaited),
                "commands": [
                    views.offer_data(ruleset, offer, places.get(awaited.creature or "")) for offer in offers
                ],
            }
            for awaited, offers in legal(ruleset, state, seat)
        ]
        assert there == json.loads(json.dumps(here)), seat
        offered |= {seat} if any(option["commands"] for option in there) else set()
    return offered


def audits_valid(mirror: Mirror, owner: Api, host: Services) -> None:
    """Fail unless the fight audits valid: while it is played up to the last disclosed link, then whole."""
    running = _verdict(mirror, owner, host)
    assert re.fullmatch(r"valid_to_epoch\(\d+\)", running), running
    closed = owner("POST", f"{mirror.at}/commands", {"type": "close", "reason": "enough"})
    assert closed.status_code == 200, closed.text
    assert _verdict(mirror, owner, host) == "valid"


def _verdict(mirror: Mirror, owner: Api, host: Services) -> str:
    signed = owner("POST", f"{mirror.at}/checkpoints", Prefer="wait=30")
    assert signed.status_code == 200, signed.text
    job = json.loads(owner("POST", f"{mirror.at}/audits", {}).text)
    Auditor(host.log, BOTH, worker="one", stopping=Event()).look()
    found = AUDITS.find(host.log, mirror.at.rpartition("/")[2], job["audit"])
    assert found is not None
    return str(found["verdict"])

"""Both clients follow an encounter over its undos, at any seat, without a word of their caller."""

from __future__ import annotations

import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rewound_client import Rewound, Table
from tests.clients.conftest import Host
from tests.clients.test_python_repeats import Cutting, over
from tests.support.javascript_verifier import node

Place = tuple[str, int]
END = "encounter_closed"


def undone(gm: Table, commit: int) -> Table:
    """Take everything back from *commit* on, and return the line in which it goes on."""
    proposal = gm.undo(commit)
    assert proposal["status"] == "ready"
    return gm.accept(proposal["amendment"], proposal["version"])


class Fight:
    """A fight with two undos and a proposal that was dropped, and what its followers are to be told."""

    def __init__(self, rewound: Rewound, form: dict[str, Any]) -> None:
        self.form = form
        self.gm = rewound.open(form["opening"])
        self.places: list[Place] = []

    def play(self) -> None:
        begin, grant = self.form["steps"][0]["send"], self.form["steps"][1]["send"]
        n = self.gm.send(begin)["n"]
        dropped = self.gm.undo(n)
        self.gm.drop(dropped["amendment"])
        first = self._entered(self.gm, undone(self.gm, n), after=0)
        first[0].send(begin)
        first[0].send(grant)
        version = first[0].get()["version"]
        second = self._entered(first[0], undone(first[0], version), after=first[1])
        second[0].close("the end")
        version = second[0].get()["version"]
        self.places += [(second[0].encounter, n) for n in range(second[1] + 1, version + 1)]

    def _entered(self, old: Table, new: Table, after: int) -> tuple[Table, int]:
        """Note that *old* was told to its end, and return *new* with its last commit that repeats."""
        commits = list(old.commits(after=after))
        self.places += [(old.encounter, commit["n"]) for commit in commits]
        events = json.loads(commits[-1]["commit"])["events"]
        return new, next(event["head"]["n"] for event in events if event["type"] == "continued")


def placed(commit: Any) -> Place:
    data = json.loads(commit["commit"])
    return data["encounter"], data["n"]


@pytest.mark.parametrize(("seat", "seed"), [("gm", 1), ("zoe", 2)])
def test_the_python_client_follows_into_the_line_that_was_accepted(
    host: Host, rewound: Rewound, forms: dict[str, Any], seat: str, seed: int
) -> None:
    """It follows while all of it is played, over a line that is cut again and again."""
    fight = Fight(rewound, forms["s002"])
    token = fight.gm.issue_token("zoe")["token"] if seat == "zoe" else host.key
    found: list[Place] = []

    def follow() -> None:
        with over(Host(host.address, token), Cutting(random.Random(seed))) as own:
            found.extend(map(placed, own.encounter(fight.gm.encounter).follow()))

    threading.Thread(target=follow, daemon=True).start()
    fight.play()
    ends = time.monotonic() + 60
    while len(found) < len(fight.places):
        assert time.monotonic() < ends, (found, fight.places)
        time.sleep(0.01)

    assert found == fight.places
    assert len({encounter for encounter, _ in found}) == 3


def test_the_javascript_client_follows_into_the_line_that_was_accepted(
    host: Host, rewound: Rewound, forms: dict[str, Any]
) -> None:
    fight = Fight(rewound, forms["s002"])
    token = fight.gm.issue_token("zoe")["token"]
    tokens = json.dumps({"gm": host.key, "zoe": token})
    with ThreadPoolExecutor(1) as pool:
        asked = host.address, fight.gm.encounter, tokens, END
        follower = pool.submit(node, "tests/clients/follow.mjs", *asked)
        fight.play()
        found = json.loads(follower.result(90))
    assert len({encounter for encounter, _ in fight.places}) == 3
    assert {seat: [tuple(place) for place in each] for seat, each in found.items()} == {
        "gm": fight.places,
        "zoe": fight.places,
    }

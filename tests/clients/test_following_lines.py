"""Both clients follow an encounter over its undos, at any seat, without a word of their caller."""

from __future__ import annotations

import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rewound_client import Rewound
from tests.clients.conftest import Host
from tests.clients.test_python_repeats import Cutting, over
from tests.support.javascript_verifier import node

Place = tuple[str, int]
END = "encounter_closed"


class Fight:
    """A fight with two undos and a proposal that was dropped, and what its followers are to be told."""

    def __init__(self, rewound: Rewound, form: dict[str, Any]) -> None:
        self.form = form
        self.gm = rewound.open(form["opening"])
        self.places: list[Place] = []

    def play(self) -> None:
        begin, grant = self.form["steps"][0]["send"], self.form["steps"][1]["send"]
        n = self.gm.send(begin)["n"]
        dropped = self.gm.undo(n - 1, preview=True)
        self.gm.drop(dropped["amendment"])
        seen = self._undo(n, after=0)
        self.gm.send(begin)
        self.gm.send(grant)
        seen = self._undo(self.gm.get()["version"], after=seen)
        self.gm.close("the end")
        last = self.gm.get()
        self.places += [(last["line"], n) for n in range(seen + 1, last["version"] + 1)]

    def _undo(self, commit: int, after: int) -> int:
        """Undo *commit*, note the old line's commits, and return the new one's last that repeats."""
        line = self.gm.get()["line"]
        self.gm.undo(commit - 1)
        commits = list(self.gm.in_line(line).commits(after=after))
        self.places += [(line, commit["n"]) for commit in commits]
        events = json.loads(commits[-1]["commit"])["events"]
        return int(next(event["head"]["n"] for event in events if event["type"] == "continued"))


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
    unspoken: list[Place] = []

    def follow() -> None:
        with over(Host(host.address, token), Cutting(random.Random(seed))) as own:
            table = own.encounter(fight.gm.encounter)
            for commit in table.follow(line=table.encounter, text="en"):
                found.append(placed(commit))
                if "text" not in commit:  # also after a lost connection, and in the next line
                    unspoken.append(found[-1])

    threading.Thread(target=follow, daemon=True).start()
    fight.play()
    ends = time.monotonic() + 60
    while len(found) < len(fight.places):
        assert time.monotonic() < ends, (found, fight.places)
        time.sleep(0.01)

    assert found == fight.places
    assert not unspoken
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

"""Whatever is lost between the Python client and the service, every command happens once."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from rewound_client import Problem, Refused, RetryPolicy, Rewound, Table, Unreachable, transport
from tests.clients.conftest import Host
from tests.clients.faulty import AWAY, BUSY, FAULTS, UNKNOWN, BadLine, cut

QUICK = RetryPolicy(total_s=60, first_s=0.001, longest_s=0.01)


@contextmanager
def over(
    host: Host, line: requests.adapters.HTTPAdapter, retry_policy: RetryPolicy = QUICK
) -> Iterator[Rewound]:
    session = requests.Session()
    session.mount("http://", line)
    with Rewound(host.address, host.key, retry_policy=retry_policy, session=session) as found:
        yield found


def commands(form: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(step["seat"], step["send"]) for step in form["steps"] if "send" in step]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fight_over_a_line_that_spoils_every_third_request_is_the_same_fight(
    host: Host, forms: dict[str, Any], fault: str
) -> None:
    line = BadLine(itertools.cycle((fault, None, None)))
    form = forms["s002"]
    with over(host, line) as rewound:
        gm = rewound.open(form["opening"])
        seats = {"gm": gm} | {entry["seat"]: gm.sit(entry["seat"]) for entry in form["opening"]["seats"]}
        found = [seats[seat].send(command) for seat, command in commands(form)]
    assert [each["n"] for each in found] == list(range(4, 4 + len(found)))
    with Rewound(host.address, host.key) as straight:
        assert straight.encounter(gm.encounter).get()["version"] == found[-1]["n"]
    keys = Counter(key for method, _, key in line.tries if method == "POST")
    assert None not in keys
    assert max(keys.values()) >= 2 or fault == UNKNOWN


def test_an_unknown_outcome_is_settled_by_asking_for_the_key(host: Host, forms: dict[str, Any]) -> None:
    with Rewound(host.address, host.key) as straight:
        gm = straight.open(forms["s002"]["opening"])
    line = BadLine([UNKNOWN])
    with over(host, line) as rewound:
        rewound.encounter(gm.encounter).send({"type": "begin_combat"}, key="settled")
    assert [(method, path.rpartition("/")[2]) for method, path, _ in line.tries] == [
        ("POST", "commands"),
        ("GET", "commands?key=settled"),
    ]


def test_a_refusal_that_is_settled_is_raised_all_the_same(host: Host, forms: dict[str, Any]) -> None:
    with Rewound(host.address, host.key) as straight:
        gm = straight.open(forms["s002"]["opening"])
    with (
        over(host, BadLine([UNKNOWN])) as rewound,
        pytest.raises(Refused) as refused,
    ):
        rewound.encounter(gm.encounter).send({"type": "grant_priority"})
    assert refused.value.n == 2
    assert refused.value.code


@pytest.mark.parametrize(("fault", "status"), [(BUSY, 429), (AWAY, 503)])
def test_patience_ends(host: Host, fault: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rested: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(rested), sleep=rested.append)
    monkeypatch.setattr(transport, "time", clock)
    line = BadLine(itertools.repeat(fault))
    with over(host, line, RetryPolicy(0.2, 0.01, 0.02)) as rewound, pytest.raises(Problem) as problem:
        rewound.rulesets()
    assert problem.value.status == status
    assert len(line.tries) == len(rested) + 1 > 3
    assert 0.2 - 0.02 < sum(rested) <= 0.2


class Cutting(requests.adapters.HTTPAdapter):
    """Cuts every stream after a random number of bytes; seeded."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance = chance
        self.connections = 0

    def send(self, request: requests.PreparedRequest, *args: Any, **more: Any) -> requests.Response:
        answer = super().send(request, *args, **more)
        if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            self.connections += 1
            cut(answer, self.chance.randint(1, 9_000))
        return answer


@pytest.mark.parametrize("seed", [1, 2])
def test_a_stream_that_is_cut_anywhere_has_no_gap_and_no_repeat(
    host: Host, forms: dict[str, Any], seed: int
) -> None:
    form = forms["s002"]
    line = Cutting(random.Random(seed))
    with Rewound(host.address, host.key) as straight, over(host, line) as rewound:
        gm = straight.open(form["opening"])
        seats = {"gm": gm} | {entry["seat"]: gm.sit(entry["seat"]) for entry in form["opening"]["seats"]}
        playing = threading.Thread(target=_play, args=(seats, commands(form)))
        playing.start()
        last = 3 + len(commands(form))
        found = list(itertools.islice(rewound.encounter(gm.encounter).follow(), last))
        playing.join()
        assert found == list(itertools.islice(gm.follow(), last))
        assert [each["hash"] for each in found] == [each["hash"] for each in gm.commits()]
    assert line.connections > 3, seed


def test_a_stream_goes_on_from_where_it_is_asked_to_and_tells_that_it_lives(
    rewound: Rewound, forms: dict[str, Any]
) -> None:
    gm = rewound.open(forms["s002"]["opening"])
    gm.send({"type": "begin_combat"})
    found = gm.listen(after=1)
    assert [(each.event, each.position) for each in itertools.islice(found, 2)] == [
        ("commit", 2),
        ("heartbeat", None),
    ]
    beat = next(iter(gm.listen(after=2)))
    assert beat.data == {"version": 2, "view": gm.state()["view"]}


def test_a_stream_that_is_refused_says_why(rewound: Rewound) -> None:
    nowhere = rewound.encounter("00000000-0000-0000-0000-000000000000")
    with pytest.raises(Problem) as refused:
        next(nowhere.follow())
    assert refused.value.type == "/problems/not-found"


def test_a_stream_to_nobody_is_unreachable() -> None:
    with Rewound("http://127.0.0.1:9", "rw_x", retry_policy=RetryPolicy(0.2)) as nobody:
        table = nobody.encounter("00000000-0000-0000-0000-000000000000")
        with pytest.raises(Unreachable):
            next(table.follow())


def _play(seats: dict[str, Table], told: list[tuple[str, dict[str, Any]]]) -> None:
    for seat, command in told:
        seats[seat].send(command)

"""A clean run in a few lines, and every violation there is, planted in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from tests.nemesis import violations
from tests.nemesis.checker import check, hash_of
from tests.nemesis.final import Logged, Shown
from tests.nemesis.history import Entry

E = "60f098fe-5b99-8bc2-a096-5b807cbbcf50"
CLIENT, STREAM, READER = "t0/player", "t0/stream", "t0/reader"


def request(n: int, command: Mapping[str, Any], batch: Mapping[str, Any] | None = None) -> bytes:
    data = {name: value for name, value in command.items() if name != "type"}
    actor = {"seat": "gm", "role": "gm"}
    said = {"type": command["type"], "actor": actor, "batch": batch, "data": data, "nonce": n}
    return json.dumps(said).encode()


def chained(requests: list[bytes]) -> tuple[Logged, ...]:
    """Return the record that these requests make."""
    made: list[Logged] = []
    for n, raw in enumerate(requests, 1):
        before = hash_of(made[-1].commit) if made else "0" * 64
        commit = {"n": n, "prev": before, "request": sha256(raw).hexdigest(), "outcome": "accepted"}
        made.append(Logged(n, raw, json.dumps(commit).encode()))
    return tuple(made)


def add(amount: int) -> dict[str, Any]:
    return {"type": "add", "amount": amount}


@dataclass
class Story:
    """A run: what clients noted, and what is shown in the end."""

    history: list[Entry]
    shown: Shown

    def found(self) -> set[str]:
        return {violation.name for violation in check(self.history, {E: self.shown})}

    def record(self, requests: list[bytes]) -> None:
        """Show this record instead."""
        log = chained(requests)
        pages = tuple((logged.n, hash_of(logged.commit)) for logged in log)
        views = {n: f"view {n}" for n in range(1, len(log) + 1)}
        self.shown = replace(
            self.shown, log=log, pages=pages, live=(len(log), views[len(log)]), replayed=views
        )

    @property
    def requests(self) -> list[bytes]:
        return [logged.request for logged in self.shown.log]

    def entries(self, do: str, **wanted: object) -> list[Entry]:
        return [
            each
            for each in self.history
            if each["do"] == do and all(each.get(name) == value for name, value in wanted.items())
        ]

    def note(self, do: str, **told: object) -> None:
        self.history.append({"t": len(self.history) / 10, "do": do, **told})

    def invoke(self, op: int, key: str, commands: list[dict[str, Any]], **more: object) -> None:
        found = {"kind": "command", "encounter": E, "seat": "gm", "if_match": None, **more}
        self.note("invoke", op=op, client=CLIENT, key=key, commands=commands, **found)

    def ok(self, op: int, n: int, count: int = 1) -> None:
        outcomes = [
            {"n": each, "outcome": "accepted", "hash": hash_of(self.shown.log[each - 1].commit)}
            for each in range(n, n + count)
        ]
        self.note("ok", op=op, encounter=E, n=n, status=200, outcomes=outcomes)


def clean() -> Story:
    """Return a clean run: an opening, a command, an array, one by version, one settled, one that failed."""
    batch = {"id": "b", "of": 3, "stop": True}
    story = Story([], Shown(E, (), (), (0, ""), {}, "valid", "valid", "equal"))
    story.record(
        [
            request(1, {"type": "open"}),
            request(2, add(1)),
            *(request(3 + i, add(10 + i), {**batch, "index": i}) for i in range(3)),
            request(6, add(2)),
            request(7, add(3)),
        ]
    )
    story.invoke(1, "open", [{"type": "open"}], kind="open", encounter="")
    story.ok(1, 1)
    story.invoke(2, "one", [add(1)])
    story.ok(2, 2)
    story.invoke(3, "array", [add(10), add(11), add(12)])
    story.ok(3, 3, 3)
    story.note("read", client=READER, encounter=E, asked=5, version=5, view="view 5")
    story.invoke(4, "exact", [add(2)], if_match=5)
    story.ok(4, 6)
    story.invoke(5, "lost", [add(3)])
    story.note("unknown", op=5, why="ConnectionResetError")
    story.note("asked", key="lost", encounter=E, n=7)
    story.invoke(6, "lost", [add(3)])
    story.ok(6, 7)
    story.invoke(7, "stale", [add(4)], if_match=2)
    story.note("fail", op=7, status=412, code="version-mismatch")
    story.note("read", client=READER, encounter=E, asked=7, version=7, view="view 7")
    for logged in story.shown.log:
        found = {"client": STREAM, "encounter": E, "connection": 1}
        story.note("told", **found, n=logged.n, hash=hash_of(logged.commit))
    keys = {"one": 2, "array": 3, "exact": 6, "lost": 7, "stale": None}
    story.shown = replace(story.shown, keys=keys)
    return story


def lost_command(story: Story) -> None:
    story.record(story.requests[:-1])


def replaced_command(story: Story) -> None:
    story.record([*story.requests[:1], request(2, add(9)), *story.requests[2:]])


def swapped_commands(story: Story) -> None:
    requests = story.requests
    requests[1], requests[5] = requests[5], requests[1]
    story.record(requests)


def doubled_command(story: Story) -> None:
    story.record([*story.requests, request(8, add(3))])


def invented_command(story: Story) -> None:
    story.record([*story.requests, request(8, add(99))])


def answer_at_two_numbers(story: Story) -> None:
    story.invoke(8, "one", [add(1)])
    story.ok(8, 6)


def key_that_names_another_number(story: Story) -> None:
    story.shown = replace(story.shown, keys={**story.shown.keys, "one": 6})


def key_that_was_forgotten(story: Story) -> None:
    story.shown = replace(story.shown, keys={**story.shown.keys, "lost": None})


def settled_elsewhere(story: Story) -> None:
    story.entries("asked")[0]["n"] = 5


def one_number_for_two_keys(story: Story) -> None:
    story.invoke(8, "two", [add(1)])
    story.ok(8, 2)


def failed_and_there(story: Story) -> None:
    story.record([*story.requests, request(8, add(4))])
    story.shown = replace(story.shown, keys={**story.shown.keys, "stale": 8})


def unknown_for_ever(story: Story) -> None:
    story.invoke(8, "open end", [add(5)])
    story.note("unknown", op=8, why="TimeoutError")


def unanswered_for_ever(story: Story) -> None:
    story.invoke(8, "open end", [add(5)])


def unknown_while_nobody_could_be_asked(story: Story) -> None:
    unknown_for_ever(story)
    story.invoke(9, "open end", [add(5)])
    story.note("fail", op=9, status=503, code="store-unavailable")


def number_left_out(story: Story) -> None:
    log = story.shown.log
    story.shown = replace(story.shown, log=(*log[:3], *log[4:]))


def broken_chain(story: Story) -> None:
    log = story.shown.log
    commit = json.loads(log[3].commit) | {"prev": "1" * 64}
    story.shown = replace(
        story.shown, log=(*log[:3], replace(log[3], commit=json.dumps(commit).encode()), *log[4:])
    )


def pages_that_differ(story: Story) -> None:
    story.shown = replace(story.shown, pages=(*story.shown.pages[:-1], (7, "0" * 64)))


def answer_of_another_history(story: Story) -> None:
    story.entries("ok", op=2)[0]["outcomes"][0]["hash"] = "2" * 64


def torn_array(story: Story) -> None:
    requests = story.requests
    story.record([*requests[:4], *requests[5:]])


def array_out_of_order(story: Story) -> None:
    requests = story.requests
    requests[3], requests[4] = requests[4], requests[3]
    story.record(requests)


def commit_of_another_request(story: Story) -> None:
    log = story.shown.log
    story.shown = replace(
        story.shown, log=(*log[:1], replace(log[1], request=request(2, add(1), None) + b" "), *log[2:])
    )


def version_that_was_not_met(story: Story) -> None:
    for entry in story.entries("invoke", key="exact"):
        entry["if_match"] = 3


def both_of_a_race(story: Story) -> None:
    story.record([*story.requests, request(8, add(6))])
    story.invoke(8, "second", [add(6)], if_match=5)
    story.ok(8, 8)


def state_behind_the_record(story: Story) -> None:
    story.shown = replace(story.shown, live=(6, "view 6"))


def state_that_is_no_replay(story: Story) -> None:
    story.shown = replace(story.shown, live=(7, "another view"))


def read_below_what_was_asked(story: Story) -> None:
    story.note("read", client=READER, encounter=E, asked=7, version=6, view="view 6")


def read_that_goes_back(story: Story) -> None:
    story.note("read", client=READER, encounter=E, asked=2, version=3, view="view 3")


def read_of_another_state(story: Story) -> None:
    story.note("read", client="t0/other", encounter=E, asked=0, version=4, view="view 5")


def state_ahead_of_the_commits(story: Story) -> None:
    story.note("read", client="t0/other", encounter=E, asked=0, version=8, view="view 8")


def stream_with_a_gap(story: Story) -> None:
    story.history.remove(story.entries("told", n=4)[0])


def stream_with_a_repeat(story: Story) -> None:
    found = story.entries("told", n=4)[0]
    story.history.insert(story.history.index(found), dict(found))


def stream_of_another_history(story: Story) -> None:
    story.entries("told", n=4)[0]["hash"] = "3" * 64


def stream_without_its_end(story: Story) -> None:
    story.history.remove(story.entries("told", n=7)[0])


def stream_that_is_silent(story: Story) -> None:
    for entry in story.entries("told"):
        story.history.remove(entry)


def false_bundle(story: Story) -> None:
    story.shown = replace(story.shown, bundle="tampered")


def failed_audit(story: Story) -> None:
    story.shown = replace(story.shown, audit="state_mismatch")


def live_state_that_differs(story: Story) -> None:
    story.shown = replace(story.shown, live_state="different")


def opening_that_is_gone(story: Story) -> None:
    other = "00000000-0000-8000-8000-000000000001"
    story.invoke(8, "another", [{"type": "open"}], kind="open", encounter="")
    story.note("ok", op=8, encounter=other, n=1, status=201, outcomes=[])


def encounter_of_nobody(story: Story) -> None:
    for entry in story.entries("ok", op=1) + story.entries("invoke", op=1):
        story.history.remove(entry)


def internal_error(story: Story) -> None:
    story.invoke(8, "lost", [add(3)])
    story.note("unknown", op=8, why="internal-error")


def forgotten_credentials(story: Story) -> None:
    story.invoke(8, "denied", [add(3)])
    story.note("fail", op=8, status=401, code="unauthenticated")


def read_that_is_not_found(story: Story) -> None:
    story.note("odd", path=f"GET /v1/encounters/{E}", status=404, code="not-found")


PLANTED: list[tuple[Callable[[Story], None], str]] = [
    (lost_command, violations.LOST),
    (replaced_command, violations.OTHER),
    (swapped_commands, violations.OTHER),
    (doubled_command, violations.DOUBLED),
    (invented_command, violations.INVENTED),
    (answer_at_two_numbers, violations.MOVED),
    (key_that_names_another_number, violations.MOVED),
    (key_that_was_forgotten, violations.MOVED),
    (settled_elsewhere, violations.MOVED),
    (one_number_for_two_keys, violations.CONTESTED),
    (failed_and_there, violations.FAILED),
    (unknown_for_ever, violations.UNSETTLED),
    (unanswered_for_ever, violations.UNSETTLED),
    (unknown_while_nobody_could_be_asked, violations.UNSETTLED),
    (number_left_out, violations.GAP),
    (broken_chain, violations.CHAIN),
    (pages_that_differ, violations.CHAIN),
    (answer_of_another_history, violations.ANSWER),
    (torn_array, violations.TORN),
    (array_out_of_order, violations.TORN),
    (commit_of_another_request, violations.TORN),
    (version_that_was_not_met, violations.IF_MATCH),
    (both_of_a_race, violations.IF_MATCH),
    (state_behind_the_record, violations.STATE),
    (state_that_is_no_replay, violations.STATE),
    (read_below_what_was_asked, violations.BACK),
    (read_that_goes_back, violations.BACK),
    (read_of_another_state, violations.AHEAD),
    (state_ahead_of_the_commits, violations.AHEAD),
    (stream_with_a_gap, violations.STREAM_GAP),
    (stream_with_a_repeat, violations.STREAM_REPEAT),
    (stream_of_another_history, violations.STREAM_OTHER),
    (stream_without_its_end, violations.STREAM_SHORT),
    (stream_that_is_silent, violations.STREAM_SHORT),
    (false_bundle, violations.BUNDLE),
    (failed_audit, violations.AUDIT),
    (live_state_that_differs, violations.AUDIT),
    (opening_that_is_gone, violations.MISSING),
    (encounter_of_nobody, violations.STRANGER),
    (internal_error, violations.STRANGE),
    (forgotten_credentials, violations.STRANGE),
    (read_that_is_not_found, violations.STRANGE),
]

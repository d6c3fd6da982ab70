"""The id of a request names it in the answer and in the log, and says nothing of anybody else's."""

from __future__ import annotations

import re

from structlog.testing import capture_logs

from tests.api.client import Api, Table, is_problem

DIGITS = re.compile(r"[0-9a-f]{32}")


def test_a_request_id_says_nothing_of_how_many_requests_others_sent(table: Table, api: Api) -> None:
    """Secrecy 6b: a counter in it counted what everybody sent, what left no trace on the record too."""

    def named(who: Api, path: str) -> str:
        answer = who("GET", path)
        return answer.headers["Request-Id"]

    ids = []
    for busy in range(8):
        ids.append(named(table.ada, f"{table.at}/state"))
        for _ in range(busy):
            table.gm("POST", f"{table.at}/previews", {"type": "add", "amount": 1})
        ids.append(named(api, "/nothing"))

    assert all(DIGITS.fullmatch(each) for each in ids), ids
    assert len({each[:8] for each in ids}) == len({each[-8:] for each in ids}) == len(ids), ids


def test_the_log_names_who_asked_and_from_where(table: Table, api: Api) -> None:
    with capture_logs() as logs:
        seat = table.ada("GET", f"{table.at}/state")
        key = table.gm("GET", table.at)
        nobody = api("GET", f"{table.at}/state")
    is_problem(nobody, 401, "unauthenticated")

    found = {each["request"]: each for each in logs if each["event"] == "http.answered"}
    assert [found[each.headers["Request-Id"]]["caller"] for each in (seat, key, nobody)] == [
        f"{table.id}/ada",
        str(table.gm.token).split("_")[1],
        None,
    ]
    seats = [found[each.headers["Request-Id"]]["seat"] for each in (seat, key, nobody)]
    assert seats == ["ada", "gm", None]
    assert {each["address"] for each in found.values()} == {"127.0.0.1"}

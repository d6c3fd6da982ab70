"""Ask for everything that a seat can be told of an encounter, and make what two services tell comparable."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Container, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from werkzeug.test import TestResponse

from tests.api.client import Api
from tests.api.declared import operations, target

_HASH = re.compile(r"[0-9a-f]{64}|(?<=sha-256=:)[A-Za-z0-9+/]{43}=")
_SECONDS = re.compile(r";t=[0-9]+")

_ASKED_FOR: Final = (
    "",
    "/state",
    "/state?round=0",
    "/state?min_version=1",
    "/state?at=99",
    "/options?text=en",
    "/options?creature=pia",
    "/options?creature=orc",
    "/commits",
    "/commits?text=en",
    "/commits?round=1",
    "/creatures",
    "/commands?key=nobody",
    "/rounds",
    "/rounds/1",
    "/rounds/1/replay?events=true&text=en",
    "/rolls",
    "/rolls?creature=pia",
    "/seats",
    "/seats/zoe",
    "/rolls/statistics",
    "/creatures/statistics",
    "/contests",
    "/contests/1",
    "/amendments/1",
    "/forks",
    "/checkpoints",
    "/removal",
    "/bundle",
    "/diff?start=1&end=3&events=true",
    "/diff",
    "/audits",
    "/audits/1",
    "/nothing",
)
_ENCOUNTER: Final = "/v1/encounters/{encounter}"


def of_each(head: int) -> Iterator[str]:
    for n in range(1, head + 1):
        yield f"/commands/{n}"
        yield f"/commits?after={n - 1}&limit=1"
        yield f"/commits/{n}/explanation?consulted=true"


def unlisted(listed: Sequence[str]) -> Iterator[str]:
    """Yield a path for each operation that reads an encounter and that no path of *listed* asks."""
    asked = [path.partition("?")[0] for path in listed]
    for each in operations():
        inside = each.path.removeprefix(_ENCOUNTER)
        pattern = re.compile(re.sub(r"{\w+}", "[^/]+", inside))
        if each.method == "GET" and inside != each.path and not any(map(pattern.fullmatch, asked)):
            yield target(each, {"encounter": "e"}).removeprefix("/v1/encounters/e")


PATHS: Final = (*_ASKED_FOR, *unlisted((*_ASKED_FOR, *of_each(1))))
"""What is read of an encounter: with the queries that show most, and every other GET as it is declared."""
ASKED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("/contests", {"commit": 2, "claim": "it was otherwise"}),
    ("/forks", {"at": 1, "commands": []}),
    ("/audits", {}),
    ("/tickets", {}),
    ("/undo", {"to": 1, "preview": True}),
)
"""What players ask for besides reading: some of it they may, some they may not."""

MISTAKES: Final = (
    {"type": "choose_stance", "creature": "pia", "stance": "might", "prompt": "r1/e1/stance/pia"},
    {"type": "declare_attack", "creature": "pia", "target": "orc", "prompt": "r1/e1/might/pia"},
    {"type": "dash", "creature": "pia", "to": [3, 3]},
)


def answers(who: Api, at: str, paths: Sequence[str], mistakes: Sequence[object]) -> list[str]:
    """Return every answer *who* can get of the encounter at *at*: reading, and asking for what it may not.

    A mistake is a command, or an array of commands.
    """
    head = who.get(at)["version"]
    reading = (*paths, f"/state?at={head}", f"/state?at={head}&known={head}", *of_each(head))
    found = [_answer(who, "GET", at, path) for path in reading]
    found += [_answer(who, "POST", at, path, data) for path, data in ASKED]
    for mistake in mistakes:
        where = (
            ("/commands?continue_on_refusal=true",)
            if isinstance(mistake, list)
            else ("/previews", "/commands")
        )
        found += [_answer(who, "POST", at, path, mistake) for path in where]
    return [*found, streamed(who, at)]


def _answer(who: Api, method: str, at: str, path: str, data: object = None) -> str:
    """Return one answer whole, after what was asked."""
    answer = who(method, at + path, data)
    digest = answer.headers.get("Repr-Digest")
    if digest is not None:  # then it says nothing that the answer itself does not say
        assert digest == f"sha-256=:{b64encode(sha256(answer.data).digest()).decode()}:"
    return _named_alike(
        answer, f"{method} {path} {answer.status_code} {sorted(answer.headers)} {answer.text}"
    )


def _named_alike(answer: TestResponse, text: str) -> str:
    """Return *text* without the request's id, which is drawn: only how long it is can be compared."""
    name = answer.headers["Request-Id"]
    return text.replace(name, "r" * len(name))


def streamed(who: Api, at: str) -> str:
    """Return the stream of all commits up to its first heartbeat, as it comes."""
    answer = who("GET", f"{at}/commits?after=0&text=en", Accept="text/event-stream")
    text = ""
    for part in answer.iter_encoded():
        text += part.decode()
        if "event: heartbeat" in text:
            break
    answer.close()
    return _named_alike(answer, f"GET /stream {answer.status_code} {sorted(answer.headers)} {text}")


def masked(texts: list[str], hashes: Container[str] | None = None) -> list[str]:
    """Return *texts* with each hash replaced by the place it first appears, and no clock.

    Where it is told which *hashes* the record itself holds, any other one stays: it must not differ.
    """
    seen: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        if hashes is not None and found[0] not in hashes and not found[0].endswith("="):
            return found[0]
        return seen.setdefault(found[0], f"<{len(seen):060d}>")

    return [_HASH.sub(name, _SECONDS.sub(";t=", text)) for text in texts]

"""Make one HTML file of a bundle: it replays the fight in a browser, without a service or a network.

The bundle is audited and imported into the memory of this process, and its API answers what the page of a
fight asks. The file holds these answers beside the bundle: creatures as changes from commit to commit, maps
as they changed, sentences, explanations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from service.api.app import create_app
from service.api.single_file import single_file
from service.audit.certificate import certificate
from service.audit.importing import take
from service.cli.every_ruleset import every_ruleset
from service.key_files import Keyring
from service.log.memory import MemoryLog
from service.logs import only_warnings
from service.stores import api_keys
from service.usecases.services import Services, make_services

_PAGE: Final = 500
Ask = Callable[[str], Any]
"""Asks for the address after the encounter's, and returns the answer's body."""


def page_of(name: str, raw: bytes) -> tuple[str, int]:
    """Return the file that replays the bundle *raw*, and its number of commits; raises `ImportRefused`.

    *name* is shown as that of the bundle.
    """
    content = content_of(name, raw)
    return single_file("fight/fight.html", "fight/replayed.mjs", content), len(content["sentences"])


def content_of(name: str, raw: bytes) -> dict[str, Any]:
    """Return what `fight/answers.mjs` calls `Replayed`; raises `ImportRefused`."""
    services = make_services(
        MemoryLog(),
        every_ruleset(),
        ring=lambda _: None,
        clock=time.time,
        keys=Keyring.of(bytes(32)),
        mode="memory",
    )
    try:
        with only_warnings():  # every answer is logged
            return {"name": name, **_answered(services, raw)}
    finally:
        services.outcomes.close()


def _answered(services: Services, raw: bytes) -> dict[str, Any]:
    token, key = api_keys.create(services.log, "file", services.clock())
    taken = take(services.log, services.registry, key.owner, raw)
    client = create_app(services).test_client()

    def ask(path: str) -> Any:  # noqa: ANN401 - JSON
        answer = client.get(
            f"/v1/encounters/{taken.address}{path}", headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 200, (path, answer.text)  # noqa: PLR2004 - OK
        return answer.get_json()

    changes = list(_all(ask, "/creatures/changes", "changes"))
    verdict = certificate(taken.report)["verdict"]
    options: dict[str, Any] = {
        "seat": taken.evidence.seat,
        "version": len(taken.commits),
        "options": [],
        "lists": [],
    }
    counted = ("/rolls/statistics", "/creatures/statistics")
    answers = {path: ask(path) for path in ("", "/creatures", "/seats", "/contests", *counted)}
    answers |= {"/options": options, "/creatures/changes": {"changes": changes, "next_cursor": None}}
    answers |= {f"/map?at={n}": ask(f"/map?at={n}") for n in _drawn(changes)}
    explained = (f"/commits/{commit.n}/explanation" for commit in taken.commits)
    answers |= {path: ask(path) for path in explained}
    return {
        "encounter": taken.address,
        "bundle": raw.decode(),
        "verdict": {"text": verdict["text"], "meaning": verdict["meaning"]},
        "sentences": [each["text"] for each in _all(ask, "/commits?text=en", "commits")],
        "answers": answers,
    }


def _drawn(changes: list[dict[str, Any]]) -> Iterator[int]:
    """Yield the numbers of the commits that made the maps of a fight."""
    yield from (each["n"] for each in changes if each["map"] or each["n"] == 1)


def _all(ask: Ask, path: str, name: str) -> Iterator[Any]:
    """Yield the items of a list, page by page."""
    query = f"{path}{'&' if '?' in path else '?'}limit={_PAGE}"
    cursor = ""
    while cursor is not None:
        page = ask(f"{query}{cursor and f'&cursor={cursor}'}")
        yield from page[name]
        cursor = page["next_cursor"]

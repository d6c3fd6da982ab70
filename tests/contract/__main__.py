"""Send thousands of generated requests to a whole service, as each role, and hold answers to the contract.

`make contract`. It runs the public tool's own command line, all its phases, once for each role. Three of four
addresses that it makes up name what exists, so that most requests get past the door. The status is 1 where a
role found a fault; the tool says how to repeat it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final
from urllib.request import Request, urlopen

import click

from service.log.valkey import ValkeyLog
from service.stores import api_keys
from tests.bench.servers import HOST, service, store

CONTRACT: Final = Path(__file__).parents[2] / "openapi.yaml"
SEATS: Final = ("player", "observer", "auditor")
SCOPES: Final = ("keys", "operator")
SECONDS: Final = 120
EDITIONS: Final = ("heartrush@1", "rise@1")
EXISTING: Final[Mapping[str, Sequence[str | int]]] = {
    "seat": SEATS,
    "n": (1, 2, 3),
    "round": (1,),
    "contest": ("c1",),
    "edition": EDITIONS,
    "rule": ("HR-ENG-4",),
    "code": ("invalid",),
}
REFUSALS: Final = (*range(400, 430), "5xx")
"""How a broken request may be refused: whether it is too large or its encounter gone is seen first."""

LEFT_OUT: Final = "positive_data_acceptance"
"""A request that fits may be illegal now: only the rules know."""


def main(seconds: int, seed: int | None = None) -> int:
    """Run all roles, each for at most *seconds*; the exit status."""
    with store() as running, service(running) as (port, _, _):
        url = f"http://{HOST}:{port}"
        log = ValkeyLog.connect(running.url)
        key = api_keys.create(log, "gm", time.time(), scopes=("read", "write"))[0]  # it cannot end itself
        played, tokens_of_seats = _seated(url, key)
        tokens: dict[str, str | None] = {"gm": key, **tokens_of_seats, "nobody": None}
        for scope in SCOPES:
            tokens[scope] = api_keys.create(log, scope, time.time(), scopes=(scope,))[0]
        log.close()
        failed = []
        for role, token in tokens.items():
            there = [played] if role in SEATS else [_fighting(url, key, EDITIONS[i % 2]) for i in range(4)]
            if not _holds(url, role, token, there, _fighting(url, key), seconds, seed):
                failed.append(role)
    click.echo(
        "every role: as the contract says" if not failed else f"not as the contract says: {', '.join(failed)}"
    )
    return 1 if failed else 0


def _holds(
    url: str,
    role: str,
    token: str | None,
    there: Sequence[str],
    ended: str,
    seconds: int,
    seed: int | None,
) -> bool:
    click.echo(f"\n--- as {role}")
    sent = [] if token is None else ["--header", f"Authorization: Bearer {token}"]
    found = [
        "--exclude-checks",
        LEFT_OUT,
        "--warnings",
        "off",
        "--continue-on-failure",
        "--max-time",
        str(seconds),
        *(() if seed is None else ("--seed", str(seed))),
    ]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "tests.contract.hooks"}
    with NamedTemporaryFile("w", suffix=".toml") as known:
        known.write(_known(there, ended))
        known.flush()
        tool = [sys.executable, "-m", "schemathesis.cli", "--config-file", known.name]
        run = [*tool, "run", str(CONTRACT), "--url", url, *sent, *found]
        return subprocess.run(run, check=False, env=environment).returncode == 0


def _known(there: Sequence[str], ended: str) -> str:
    """Return the tool's settings: encounters *there*, what stands in them, and the one that is *ended*."""
    known = {**EXISTING, "encounter": there}
    lines = []
    for name, values in known.items():
        lines += [f"[dictionaries.{name}]", f"values = {json.dumps(list(values))}"]
    lines.append("[parameters]")
    lines += [f'"path.{name}" = {{ dictionary = "{name}", probability = 0.75 }}' for name in known]
    lines += ["[checks.negative_data_rejection]", f"expected-statuses = {json.dumps(REFUSALS)}"]
    lines += [
        "[[operations]]",
        'include-operation-id = "closeEncounter"',
        f'parameters = {{ "path.encounter" = "{ended}" }}',
    ]
    return "\n".join(lines)


def _seated(url: str, key: str) -> tuple[str, dict[str, str]]:
    """Open a fight; its id, and the token of a seat of each role in it."""
    encounter = _fighting(url, key)
    at = f"{url}/v1/encounters/{encounter}/seats"
    return encounter, {
        seat: _post(at, key, {"seat": seat, "role": seat, "creatures": ["pia"] if seat == "player" else []})[
            "token"
        ]
        for seat in SEATS
    }


def _fighting(url: str, key: str, edition: str = "heartrush@1") -> str:
    """Open a fight in which combat has begun, and return its id."""
    is_rise = edition == "rise@1"
    kind = "monster" if is_rise else "npc"
    creatures = [
        {"position": [x, 0], "sheet": {"id": id_, "name": id_, "side": side, "kind": kind, "hp_max": 20}}
        for x, (id_, side) in enumerate((("pia", "heroes"), ("orc", "foes")))
    ]
    sides = {} if is_rise else {"sides": ["heroes", "foes"], "player_side": "heroes"}
    opening = {"edition": edition, "creatures": creatures, **sides}
    at = f"{url}/v1/encounters"
    encounter: str = _post(at, key, opening)["encounter"]
    _post(f"{at}/{encounter}/commands", key, {"type": "start_combat" if is_rise else "begin_combat"})
    _post(f"{at}/{encounter}/contests", key, {"commit": 2, "claim": "it was not so"})
    return encounter


def _post(url: str, key: str, data: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Prefer": "wait=30"}
    with urlopen(Request(url, json.dumps(data).encode(), headers)) as answer:  # noqa: S310 - our own service
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(*(map(int, sys.argv[1:]) if len(sys.argv) > 1 else (SECONDS,))))

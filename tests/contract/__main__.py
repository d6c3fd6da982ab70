"""Send thousands of generated requests to a whole service, as each role, and hold answers to the contract.

`make contract`. It runs the public tool's own command line, all its phases, once for each role. The status is
1 where a role found a fault; the tool says how to repeat it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import click

from service.encounter.stores import keys
from service.log.valkey import ValkeyLog
from tests.bench.servers import HOST, service, store

CONTRACT: Final = Path(__file__).parents[2] / "openapi.yaml"
SEATS: Final = ("player", "observer", "auditor")
SCOPES: Final = ("keys", "operator")
SECONDS: Final = 120
LEFT_OUT: Final = "positive_data_acceptance"
"""A request that fits may be illegal now: only the rules know."""


def main(seconds: int) -> int:
    """Run all roles, each for at most *seconds*; the exit status."""
    with store() as running, service(running) as (port, key):
        url = f"http://{HOST}:{port}"
        tokens: dict[str, str | None] = {"gm": key, **_seated(url, key), "nobody": None}
        log = ValkeyLog.connect(running.url)
        for scope in SCOPES:
            tokens[scope] = keys.create(log, scope, time.time(), scopes=(scope,))[0]
        log.close()
        failed = [role for role, token in tokens.items() if not _holds(url, role, token, seconds)]
    click.echo(
        "every role: as the contract says" if not failed else f"not as the contract says: {', '.join(failed)}"
    )
    return 1 if failed else 0


def _holds(url: str, role: str, token: str | None, seconds: int) -> bool:
    click.echo(f"\n--- as {role}")
    sent = [] if token is None else ["--header", f"Authorization: Bearer {token}"]
    told = [
        "--exclude-checks",
        LEFT_OUT,
        "--warnings",
        "off",
        "--continue-on-failure",
        "--max-time",
        str(seconds),
    ]
    run = [sys.executable, "-m", "schemathesis.cli", "run", str(CONTRACT), "--url", url, *sent, *told]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "tests.contract.hooks"}
    return subprocess.run(run, check=False, env=environment).returncode == 0


def _seated(url: str, key: str) -> dict[str, str]:
    """Open a fight and return the token of a seat of each role."""
    creature = {"sheet": {"id": "pia", "name": "Pia", "side": "heroes"}, "position": [0, 0]}
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "creatures": [creature],
    }
    at = f"{url}/v1/encounters"
    at += "/" + _post(at, key, opening)["encounter"]
    return {seat: _post(f"{at}/seats", key, {"seat": seat, "role": seat})["token"] for seat in SEATS}


def _post(url: str, key: str, data: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Prefer": "wait=30"}
    with urlopen(Request(url, json.dumps(data).encode(), headers)) as answer:  # noqa: S310 - our own service
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))

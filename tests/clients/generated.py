"""A client that a public generator makes from `openapi.yaml`, and how it is used in these tests."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import yaml

from tests.support.javascript_verifier import ROOT

GENERATOR: Final = (sys.executable, "-m", "openapi_python_client", "generate")
BYTES: Final = "application/octet-stream"
FILES: Final = ("application/jsonl", "application/yaml", "*/*")
"""What the generator does not know and is told to take as bytes."""
PACKAGE: Final = "rewound_generated"
WAIT: Final = "wait=30"
BOOKS: Final = {"heartrush@1": "Heartrush1", "rise@1": "Rise1"}
"""What the contract calls an edition's schemas."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Generated:
    """The generated package, and the classes that it has for commands by their type."""

    models: Any
    api: Callable[[str], Any]
    client: Any
    kinds: dict[tuple[str, str], str]

    def done(self, operation: str, *arguments: Any, client: Any, **more: Any) -> Any:
        """Return the parsed answer of an operation; fails unless it is a good one."""
        answer = self.api(operation).sync_detailed(*arguments, client=client, **more)
        assert answer.status_code < 300, answer.content
        assert answer.parsed is not None, f"{operation} is not described"
        return answer.parsed

    def open(self, gm: Any, opening: Json, key: str) -> Any:
        """Open an encounter with *gm*, a client with an API key; return its id."""
        body = getattr(self.models, f"{BOOKS[opening['edition']]}Opening").from_dict(opening)
        once = {"idempotency_key": f'"{key}"', "prefer": WAIT}
        return self.done("encounters.open_encounter", client=gm, body=body, **once).encounter

    def token(self, gm: Any, encounter: Any, seat: str) -> str:
        """Issue a token for *seat*."""
        body = self.models.EmptyBody()
        issued = self.done("seats.issue_token", encounter, seat, client=gm, body=body, prefer=WAIT)
        return cast("str", issued.token)

    def send(self, encounter: Any, seat: Any, command: Json, edition: str = "heartrush@1") -> Json:
        """Send *command* as an object of its class; return the outcome as JSON."""
        body = getattr(self.models, self.kinds[edition, command["type"]]).from_dict(command)
        assert body.to_dict() == command
        found: Json = self.done(
            "commands.send_command", encounter, client=seat, body=body, prefer=WAIT
        ).to_dict()
        return found


@contextmanager
def made(home: Path) -> Iterator[Generated]:
    """Generate the client into *home* and import it from there."""
    config = home / "config.json"
    config.write_text(json.dumps({"content_type_overrides": dict.fromkeys(FILES, BYTES), "post_hooks": []}))
    to, how = home / PACKAGE, ("--meta", "none", "--fail-on-warning", "--config", config)
    text = subprocess.run(
        [*GENERATOR, *how, "--path", ROOT / "openapi.yaml", "--output-path", to],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert text.returncode == 0, text.stdout + text.stderr
    sys.path.insert(0, str(home))
    try:
        contract = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
        schemas = contract["components"]["schemas"]
        yield Generated(
            importlib.import_module(f"{PACKAGE}.models"),
            lambda name: importlib.import_module(f"{PACKAGE}.api.{name}"),
            importlib.import_module(f"{PACKAGE}.client").AuthenticatedClient,
            {
                (edition, type_): at.rpartition("/")[2]
                for edition, book in BOOKS.items()
                for type_, at in schemas[f"{book}Command"]["discriminator"]["mapping"].items()
            },
        )
    finally:
        sys.path.remove(str(home))

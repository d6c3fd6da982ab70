"""OpenAPI: write the contract and the clients' types from the code, or check them against the code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from service.api import openapi
from service.api.client_types.python import PythonModules
from service.api.client_types.typescript import declarations
from service.api.inputs import component_name
from service.cli.checkout import in_checkout, settle
from service.rules.registry import REGISTRY

_JAVASCRIPT: Final = Path("clients/javascript")
_PYTHON: Final = Path("clients/python/rewound_client")


@click.command("openapi")
@click.option("--check", is_flag=True, help="Write nothing; fail if a file is out of date.")
def command(*, check: bool) -> None:
    """Write openapi.yaml at the root of the checkout, and the types of both clients."""
    root = in_checkout()
    settle({root / path: text for path, text in generated().items()}, check=check, by="rewound openapi")


def generated() -> dict[Path, str]:
    """Return the text of each file that is generated from the contract, by its path in a checkout."""
    made = openapi.document()
    editions = {component_name(edition): component_name(edition).lower() for edition in REGISTRY}
    modules = PythonModules(made, editions).modules()
    return {
        Path("openapi.yaml"): openapi.as_yaml(made),
        _JAVASCRIPT / "contract.d.mts": declarations(made),
        **{_PYTHON / f"{name}.py": text for name, text in modules.items()},
    }

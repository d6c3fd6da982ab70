"""OpenAPI: write the contract file from the code, or check it against the code."""

from __future__ import annotations

from pathlib import Path

import click

from service.api import openapi
from service.cli.checkout import in_checkout, settle


@click.command("openapi")
@click.option("--check", is_flag=True, help="Write nothing; fail if the file is out of date.")
def command(*, check: bool) -> None:
    """Write openapi.yaml at the root of the checkout."""
    settle({in_checkout() / Path("openapi.yaml"): openapi.dump()}, check=check, by="rewound openapi")

"""OpenAPI: write the contract file from the code, or hold it to the code."""

from __future__ import annotations

from pathlib import Path

import click

from service.api import openapi
from service.cli.checkout import in_checkout, settle


@click.command("openapi")
@click.option("--check", is_flag=True, help="Write nothing; fail if the file is not what the code gives.")
def command(*, check: bool) -> None:
    """Write openapi.yaml at the root of the checkout."""
    settle({in_checkout() / Path("openapi.yaml"): openapi.dump()}, check=check, by="rewound openapi")

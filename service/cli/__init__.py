"""The command line: `rewound serve`, `rewound demo`, `rewound verify FILE` and the other commands.

Each command is a module that is imported when the command is called, so that `rewound --help` and `rewound
verify` start fast.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Final

import click

from service.rules.kernel.near import close_name

COMMANDS: Final[Mapping[str, str]] = {
    "serve": "Run the whole service on this machine.",
    "worker": "Run one worker against running servers.",
    "demo": "Play the sample fight over HTTP, replay a round, audit it.",
    "play": "Play an encounter with bots, many times, and print each result.",
    "check-ruleset": "Hold a ruleset to the laws of the conformance suite.",
    "replay": "Narrate a fight round by round, or make a page of a bundle.",
    "verify": "Audit a bundle or the fights of an evening, offline.",
    "log": "Follow a public log, and count openings without an end.",
    "witness": "Cosign the checkpoints of public logs, as a service of its own.",
    "bundle": "Export an encounter with all its evidence into one file.",
    "collect": "Fetch the files of an evening from a service.",
    "explain": "Explain a commit of a bundle: rules, rulings and dice, offline.",
    "import": "Convert maps and creatures of other tools to parts of an opening.",
    "backup": "Back up the store, also while the service runs.",
    "restore": "Put a backup into an empty store, and name what was lost.",
    "owners": "List what each owner stores, and how much of the quotas is used.",
    "doctor": "Examine this installation and say how each fault is mended.",
    "keys": "List, create and revoke API keys; show and rotate the signing key.",
    "openapi": "Write openapi.yaml and the clients' types, or check them.",
    "rules": "Write the tables of rules, or check that they are up to date.",
}
"""The commands as `--help` lists them; each is in the module with its name, in Python: `import_`."""


class _Commands(click.Group):
    """The commands of `COMMANDS`, each imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click declares it
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_") + "_" * iskeyword(cmd_name)
        gc.disable()  # each collection would walk all that was imported, and once more at the end
        try:
            command: click.Command = import_module(f"{__name__}.{module}").command
        finally:
            gc.freeze()
            gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that *args* begin with; raises `UsageError` with the closest match."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as fault:
            close = close_name(args[0], COMMANDS)
            if close is None:
                raise
            raise click.UsageError(f"No such command {args[0]!r}; closest match: {close}", ctx) from fault

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rewound")
def main() -> None:
    """Event-sourced tabletop combat: every die is provable, every round replayable, every ruling recorded."""

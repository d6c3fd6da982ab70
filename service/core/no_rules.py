"""The ruleset of an encounter whose first request cannot be read: it refuses every command.

No such request passes the API. Numbers are dense nevertheless: every stored request gets its commit.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from service.rules.kernel.messages import Command, Emits, Refused
from service.rules.kernel.records import record
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table


@record
class _Nothing(Command[Table]):
    """Open nothing: the command of no rules, which is always refused."""

    type: ClassVar[str] = "nothing"

    def check(self, view: Table) -> None:  # noqa: ARG002 - it is refused in any state
        raise Refused("no_rules", "the encounter was opened under no rules")

    def decide(self, state: Table) -> Emits[Table]:  # noqa: ARG002 - as above
        yield from ()
        raise AssertionError("a command that is always refused is never decided")


NO_RULES: Final[Ruleset[Any]] = Ruleset(
    edition="none",
    title="Nothing",
    blank=Table(),
    opening=_Nothing,
    commands={},
    events={},
    options={},
    packages=("service.rules.table.table",),
)

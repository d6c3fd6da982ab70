"""Load the rulesets for a command that needs them: it takes as long as all else in a short one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.cli.terminal import Failure
from service.rules.ruleset import Ruleset
from service.rulesets import RulesetUnusable, installed


def every_ruleset() -> Mapping[str, Ruleset[Any]]:
    """Return the rulesets of this program and of installed packages, by edition; raises a `Failure`."""
    try:
        return installed()
    except RulesetUnusable as fault:
        raise Failure(str(fault)) from fault

"""Read the settings for a command: all their faults become one message, and what was set is known as such."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace

from service.cli.terminal import Failure
from service.settings import Settings, SettingsError


@dataclass(frozen=True)
class EnvironmentOption:
    """The settings, and whether somebody chose the port."""

    settings: Settings
    has_port: bool


def read_settings() -> EnvironmentOption:
    """Return the settings; every fault of the environment ends the command, all of them told at once."""
    try:
        settings = Settings.from_environment()
    except SettingsError as faults:
        raise Failure(f"the settings are not right:\n{faults}", lines=True) from faults
    return EnvironmentOption(settings, has_port=bool(os.environ.get("REWOUND_PORT")))


def is_for_people(*, demo: bool) -> bool:
    """Tell whether a person reads along: on a terminal, and wherever the demo prints its sample."""
    return demo or sys.stderr.isatty()


def quiet_for_people(settings: Settings, *, demo: bool) -> Settings:
    """Return *settings* with warnings alone logged where a person reads along and asked for nothing else."""
    if is_for_people(demo=demo) and not os.environ.get("REWOUND_LOG_LEVEL"):
        return replace(settings, log_level="warning")
    return settings

"""Read the settings for a command: report all faults at once, and note whether the port was set."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace

from service.cli.terminal import Failure
from service.settings import Settings, SettingsError


@dataclass(frozen=True)
class EnvironmentOption:
    """The settings, and whether the environment sets the port."""

    settings: Settings
    has_port: bool


def read_settings() -> EnvironmentOption:
    """Return the settings; raises a `Failure` that names every fault of the environment."""
    try:
        settings = Settings.from_environment()
    except SettingsError as faults:
        raise Failure(f"invalid settings:\n{faults}", lines=True) from faults
    return EnvironmentOption(settings, has_port=bool(os.environ.get("REWOUND_PORT")))


def is_for_people(*, demo: bool) -> bool:
    """Return whether a person reads the output: on a terminal, or with the demo."""
    return demo or sys.stderr.isatty()


def quiet_for_people(settings: Settings, *, demo: bool) -> Settings:
    """Return *settings* with log level `warning` if a person reads the output and set no level."""
    if is_for_people(demo=demo) and not os.environ.get("REWOUND_LOG_LEVEL"):
        return replace(settings, log_level="warning")
    return settings

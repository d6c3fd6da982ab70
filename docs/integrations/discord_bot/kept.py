"""What outlives the bot: a file with what channels follow, who sits where, and which commands Discord has."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Channel:
    """What is posted in a channel, and up to where."""

    encounter: str
    observer: str
    """A token of the seat as which the bot reads."""
    line: str
    n: int
    """The last commit that was posted, and its line of play."""


@dataclass
class Kept:
    """All that is kept. It holds tokens of seats, so only the bot's user may read the file."""

    path: Path
    channels: dict[int, Channel] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    """By channel, user and encounter."""
    commands: str = ""
    """A digest of the commands that Discord has."""

    @classmethod
    def read(cls, path: Path) -> "Kept":
        """Return what *path* has, nothing if there is no such file."""
        if not path.exists():
            return cls(path)
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        channels = {int(number): Channel(**each) for number, each in data["channels"].items()}
        return cls(path, channels, data["tokens"], data["commands"])

    def write(self) -> None:
        """Write the file whole: another one takes its place."""
        data = {
            "channels": {str(number): asdict(each) for number, each in self.channels.items()},
            "tokens": self.tokens,
            "commands": self.commands,
        }
        beside = self.path.with_name(f"{self.path.name}.new")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)

    def seat(self, channel: int, user: int, token: str) -> None:
        """Keep a player's token for the encounter of a channel."""
        self.tokens[self._name(channel, user)] = token
        self.write()

    def token(self, channel: int, user: int) -> str | None:
        """Return a player's token for the encounter of a channel, None if there is none."""
        return self.tokens.get(self._name(channel, user)) if channel in self.channels else None

    def _name(self, channel: int, user: int) -> str:
        return f"{channel}/{user}/{self.channels[channel].encounter}"

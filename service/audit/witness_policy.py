"""Read policies (C2SP tlog-policy): which logs and witnesses somebody trusts, and how many are enough.

A policy is a text file with a line for each log, witness and group, and one `quorum` line. The same file says
to whom a service submits its checkpoints, what a witness cosigns, and what a verifier demands. A line
`unseen` is not of C2SP: it bounds what may come between a seat's head and its command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from service.audit.notes import COSIGNER, LOG, BadNote, read_verifier_key

NONE: Final = "none"
_COUNT: Final = re.compile("0|[1-9][0-9]{0,8}")
_MOST_BYTES: Final = 65_536
_MOST_LINES: Final = 1_000
_CONTROLS: Final = frozenset({*range(0x20), 0x7F}) - {0x09, 0x0A}
"""Control characters other than tab and line feed."""


class BadPolicy(ValueError):
    """The text is not a policy."""


@dataclass(frozen=True, slots=True)
class Party:
    """A log or a witness: the name and the public bytes of its key, and its address (may be empty)."""

    name: str
    public: bytes
    url: str = ""


@dataclass(frozen=True, slots=True)
class _Group:
    needed: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MostUnseen:
    """How much may come between the head that a seat signed on and its command."""

    commits: int
    """Commits of others."""
    decisions: int
    """How many of these may make decisions."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom somebody trusts."""

    logs: tuple[Party, ...] = ()
    witnesses: Mapping[str, Party] = field(default_factory=dict)
    """By the name that the policy gives them."""
    groups: Mapping[str, _Group] = field(default_factory=dict)
    quorum: str = NONE
    unseen: MostUnseen | None = None
    asks_log: bool = True
    """Whether it says anything of the public log."""

    def is_met(self, by: Collection[str]) -> bool:
        """Return whether the witnesses *by* (names of the policy) are enough."""
        return self.quorum == NONE or self._has(self.quorum, by)

    def met_at(self, times: Mapping[str, int]) -> int | None:
        """Return the first time at which enough witnesses had cosigned, by name; None if too few have.

        Also None if the policy asks for none.
        """
        if self.quorum == NONE:
            return None
        for now in sorted(set(times.values())):
            if self._has(self.quorum, [name for name, time in times.items() if time <= now]):
                return now
        return None

    def _has(self, name: str, by: Collection[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in by
        return sum(self._has(member, by) for member in group.members) >= group.needed


def read_policy(raw: bytes) -> Policy:
    """Return the policy in *raw*; raises `BadPolicy` with the number of the line at fault."""
    if len(raw) > _MOST_BYTES:
        raise BadPolicy(f"more than {_MOST_BYTES} bytes")
    if any(byte in raw for byte in _CONTROLS):
        raise BadPolicy("it has a control character")
    try:
        text = raw.decode()
    except UnicodeDecodeError as fault:
        raise BadPolicy("it is not UTF-8") from fault
    if text and not text.endswith("\n"):
        raise BadPolicy("its last line has no end")
    lines = text.split("\n")[:-1]
    if len(lines) > _MOST_LINES:
        raise BadPolicy(f"more than {_MOST_LINES} lines")
    read = _PolicyReading()
    for number, line in enumerate(lines, 1):
        words = [word for word in line.replace("\t", " ").split(" ") if word]
        if not words or words[0].startswith("#"):
            continue
        try:
            read.take(words)
        except ValueError as fault:
            raise BadPolicy(f"line {number}: {fault}") from fault
    return read.policy()


class _PolicyReading:
    """What was read of a policy so far."""

    def __init__(self) -> None:
        self.logs: list[Party] = []
        self.witnesses: dict[str, Party] = {}
        self.groups: dict[str, _Group] = {}
        self.quorum: str | None = None
        self.unseen: MostUnseen | None = None
        self._members: set[str] = set()

    def policy(self) -> Policy:
        is_of_log = self.unseen is None or bool(self.logs or self.witnesses or self.groups)
        if self.quorum is None and is_of_log:
            raise BadPolicy("it has no quorum line")
        return Policy(
            tuple(self.logs),
            self.witnesses,
            self.groups,
            NONE if self.quorum is None else self.quorum,
            self.unseen,
            asks_log=self.quorum is not None,
        )

    def take(self, words: list[str]) -> None:
        kinds: dict[str, Callable[[list[str]], None]] = {
            "log": self._log,
            "witness": self._witness,
            "group": self._group,
            "quorum": self._quorum,
            "unseen": self._unseen,
        }
        if words[0] not in kinds:
            raise ValueError(f"there are no lines that begin with {words[0]!a}")
        kinds[words[0]](words[1:])

    def _log(self, words: list[str]) -> None:
        if len(words) not in (1, 2):
            raise ValueError("log <verifier key> [<address>]")
        self.logs.append(_party(words, LOG, self.logs))

    def _witness(self, words: list[str]) -> None:
        if len(words) not in (2, 3):
            raise ValueError("witness <name> <verifier key> [<address>]")
        self._new_name(words[0])
        self.witnesses[words[0]] = _party(words[1:], COSIGNER, list(self.witnesses.values()))

    def _group(self, words: list[str]) -> None:
        if len(words) < 3:  # noqa: PLR2004 - name, number, one member
            raise ValueError("group <name> all|any|<number> <name>...")
        name, needed, *members = words
        self._new_name(name)
        for member in members:
            self._check_known(member)
            if member in self._members:
                raise ValueError(f"{member!a} is a member twice")
            self._members.add(member)
        counts = {"all": len(members), "any": 1}
        is_number = needed.isascii() and needed.isdecimal() and not needed.startswith("0")
        count = int(needed) if is_number and len(needed) < 5 else counts.get(needed, 0)  # noqa: PLR2004 - digits
        if not 1 <= count <= len(members):
            raise ValueError(f"{needed!a} of {len(members)} members")
        self.groups[name] = _Group(count, tuple(members))

    def _quorum(self, words: list[str]) -> None:
        if len(words) != 1 or self.quorum is not None:
            raise ValueError("quorum <name>, once")
        if words[0] != NONE:
            self._check_known(words[0])
        self.quorum = words[0]

    def _unseen(self, words: list[str]) -> None:
        if len(words) != 2 or self.unseen is not None or not all(map(_COUNT.fullmatch, words)):  # noqa: PLR2004 - commits, decisions
            raise ValueError("unseen <commits> <decisions>, once")
        self.unseen = MostUnseen(*map(int, words))

    def _new_name(self, name: str) -> None:
        if name == NONE or name in self.witnesses or name in self.groups:
            raise ValueError(f"the name {name!a} is taken")

    def _check_known(self, name: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            raise ValueError(f"{name!a} is not defined above")


def _party(words: list[str], kind: bytes, known: Collection[Party]) -> Party:
    try:
        name, public = read_verifier_key(words[0], kind)
    except BadNote as fault:
        raise ValueError(str(fault)) from fault
    if any(each.public == public for each in known):
        raise ValueError("the same key twice")
    return Party(name, public, words[1] if len(words) > 1 else "")

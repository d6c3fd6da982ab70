"""Say what went wrong: nobody answered, or the service answered with a problem (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RewoundError(Exception):
    """Anything that this client raises."""


class Unreachable(RewoundError):
    """Say that no service answered, however often it was asked."""


class NotDone(RewoundError):
    """Say that something is under way and was not done in the time given for it."""


class Problem(RewoundError):
    """The service's problem document, and its HTTP status."""

    def __init__(self, status: int, data: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        super().__init__(f"{status} {data.get('title', '')}: {data.get('detail', '')}")
        self.status = status
        self.data = dict(data)
        """Every member of the document."""
        self.retry_after_s = retry_after_s

    @property
    def type(self) -> str:
        """Where the problem is explained: `/problems/{code}`; stable, clients may branch on it."""
        return str(self.data.get("type", "about:blank"))

    @property
    def title(self) -> str:
        """What kind of problem it is, in words."""
        return str(self.data.get("title", ""))

    @property
    def detail(self) -> str:
        """What was wrong this time."""
        return str(self.data.get("detail", ""))

    @property
    def request_id(self) -> str | None:
        """What to name when you ask the host about it."""
        found = self.data.get("request_id")
        return None if found is None else str(found)

    @property
    def errors(self) -> list[dict[str, str]]:
        """Each fault of a body: `pointer`, and in `detail` what was expected there."""
        return list(self.data.get("errors", ()))


class Refused(Problem):
    """The rules refuse the command."""

    @property
    def code(self) -> str:
        """Why: a stable code."""
        return str(self.data["code"])

    @property
    def rule(self) -> str | None:
        """The rule that spoke, if one did."""
        found = self.data.get("rule")
        return None if found is None else str(found)

    @property
    def n(self) -> int | None:
        """Its number on the record; None where the refusal left no trace."""
        found = self.data.get("n")
        return None if found is None else int(found)


class VersionMismatch(Problem):
    """The encounter has moved on from the version that was named."""

    @property
    def version(self) -> int:
        """The newest version."""
        return int(self.data["version"])


_KINDS: Mapping[str, type[Problem]] = {
    "/problems/command-refused": Refused,
    "/problems/version-mismatch": VersionMismatch,
}


def problem(status: int, data: Mapping[str, Any], retry_after_s: float | None = None) -> Problem:
    """Return the exception for a problem document."""
    return _KINDS.get(str(data.get("type")), Problem)(status, data, retry_after_s)

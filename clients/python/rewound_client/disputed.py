"""Contest and correct an encounter, compare two lines of play, and fork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, cast

from rewound_client import shapes
from rewound_client.place import Encounter
from rewound_client.transport import WAIT_S, Query

Ending = Literal["upheld", "effects", "as_ruled"]
Language = Literal["en"]


class Disputed(Encounter):
    """Contests, rulings, undo and redo, forks and differences."""

    def contest(
        self, commit: int, claim: str, *, event: int | None = None, roll: str | None = None
    ) -> shapes.Contest:
        """Contest a commit, an event in it (by index), or a roll (by name); *claim* says what is wrong."""
        members = {"commit": commit, "claim": claim, "event": event, "roll": roll}
        data = {name: value for name, value in members.items() if value is not None}
        command = {"type": "contest", **data}
        return cast("shapes.Contest", self._done("POST", "/contests", data, command=command))

    def contests(self, *, text: Language | None = None) -> list[shapes.Contest]:
        """Return all contests in the order they were opened; with `text="en"` also what was contested."""
        return cast("list[shapes.Contest]", self._get("/contests", {"text": text})["contests"])

    def contested(self, contest: str, *, text: Language | None = None) -> shapes.Contest:
        """Return one contest; with `text="en"` also what was contested."""
        return cast("shapes.Contest", self._get(f"/contests/{contest}", {"text": text}))

    def rule(self, contest: str, ending: Ending, decision: str, **more: object) -> shapes.Contest:
        """Rule on a contest as the gm; *more* are the ending's fields: `reason`, `effects`, `instead`."""
        data = {"ending": ending, "decision": decision, **more}
        command = _ruling(contest, data)
        return cast(
            "shapes.Contest", self._done("POST", f"/contests/{contest}/ruling", data, command=command)
        )

    def undo(self, to: int, reason: str = "", *, preview: bool = False) -> shapes.Amendment:
        """Undo everything after commit *to*.

        With *preview* it is only proposed: look at the difference, then `accept` or `drop` it.
        """
        data = {"to": to, "reason": reason, "preview": preview}
        return self._amend("/undo", data, {"type": "undo", "commit": to + 1, "reason": reason})

    def redo(self, reason: str = "", *, preview: bool = False) -> shapes.Amendment:
        """Redo what was undone, or with *preview* propose it."""
        data = {"reason": reason, "preview": preview}
        return self._amend("/redo", data, {"type": "redo", "reason": reason})

    def _amend(self, path: str, data: dict[str, Any], command: Mapping[str, Any]) -> shapes.Amendment:
        """Propose an undo or a redo, and accept it unless it is a preview.

        A seat with a key signs the acceptance when it knows the proposed line, so it sends it apart.
        """
        apart = self._signer is not None and not data["preview"]
        sent = data | {"preview": True} if apart else data
        proposed = cast("shapes.Amendment", self._done("POST", path, sent, command=command))
        return self.accept(proposed["amendment"], proposed["version"]) if apart else proposed

    def amendment(self, amendment: str) -> shapes.Amendment:
        """Return a proposal, with the difference between its line and the line as played."""
        path = f"{self.path}/amendments/{amendment}"
        return cast("shapes.Amendment", self._transport.get(path, wait_s=WAIT_S))

    def accept(self, amendment: str, version: int) -> shapes.Amendment:
        """Accept a proposal that was compared at *version*; the encounter continues in its `line`."""
        path, command = f"/amendments/{amendment}/accept", None
        if self._signer is not None:
            acceptance = self.amendment(amendment)["acceptance"]
            command = None if acceptance is None else {**acceptance, "version": version}
        return cast("shapes.Amendment", self._done("POST", path, {"version": version}, command=command))

    def drop(self, amendment: str) -> shapes.Amendment:
        """Drop a proposal; the line as played continues."""
        command = {"type": "drop_amendment", "amendment": amendment}
        return cast("shapes.Amendment", self._done("DELETE", f"/amendments/{amendment}", command=command))

    def fork(self, at: int, commands: Sequence[Mapping[str, Any]] = ()) -> Self:
        """Fork the encounter after commit *at* and send *commands* to the fork; return the fork as its gm."""
        made = self._done("POST", "/forks", {"at": at, "commands": [dict(each) for each in commands]})
        token = made.get("token")  # present if a seat asked; it is valid in the fork only
        transport = self._transport if token is None else self._transport.speaking_for(token)
        return type(self)(transport, made["encounter"])

    def forks(self) -> list[shapes.ListedFork]:
        """Return the forks of this encounter: all of them for the gm's seat, its own for another seat."""
        return cast("list[shapes.ListedFork]", self._get("/forks")["forks"])

    def delete_fork(self, fork: str) -> shapes.ListedFork:
        """Delete a fork now, with every line that continues it."""
        return cast("shapes.ListedFork", self._done("DELETE", f"/forks/{fork}"))

    def diff(
        self, start: int, end: int | None = None, *, other: str | None = None, events: bool = False
    ) -> shapes.Difference:
        """Return the difference between two commits as a JSON Patch (RFC 6902), and with *events* the events.

        *end* may be a commit of the encounter *other*.
        """
        query: Query = {"start": start, "end": end, "other": other, "events": "true" if events else None}
        return cast("shapes.Difference", self._whole("/diff", query, "events.start", "events.end"))


def _ruling(contest: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the command that answers a contest, as the service makes it of *data*."""
    answer = {"contest": contest, "decision": data["decision"], "reason": data.get("reason", "")}
    if data["ending"] == "as_ruled":
        return {"type": "amend", **answer, "instead": [_replacing(each) for each in data.get("instead", ())]}
    if data["ending"] == "effects":
        named = {name: data[name] for name in ("kind", "subject", "effects") if name in data}
        return {"type": "gm_ruling", **answer, **named}
    return {"type": "uphold", **answer}


def _replacing(command: Mapping[str, Any]) -> Mapping[str, Any]:
    members = {name: value for name, value in command.items() if name not in {"type", "by"}}
    return {"type": command["type"], "data": members, "by": command.get("by", "sender")}

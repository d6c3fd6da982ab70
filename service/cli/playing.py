"""Play a scripted fight through the HTTP API, seat by seat, as its players would.

With declared dice every step is sent unchanged. With seeded dice the fight may differ from the script: a step
whose prompt does not come is skipped, and a prompt that no step answers gets the most passive legal answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rewound_client import Problem, Refused, Rewound, Table, values_of
from service.cli.script import ScriptedFight, ScriptStep

GM: Final = "gm"
_QUIET: Final = ("accept_", "decline_", "keep_", "pass_")
"""Prefixes of the types of passive commands."""


class NotAsWritten(Exception):
    """The fight differs from its script."""


@dataclass(frozen=True)
class ScriptMoment:
    """One command of the fight and its outcome, as its sender sees it."""

    says: str
    seat: str
    send: Mapping[str, Any]
    outcome: Mapping[str, Any]


@dataclass(frozen=True)
class ScriptTable:
    """An open encounter as each of its seats sees it."""

    seats: Mapping[str, Table]

    @property
    def gm(self) -> Table:
        """The encounter as its owner sees it."""
        return self.seats[GM]

    @property
    def encounter(self) -> str:
        """The encounter's id."""
        return self.gm.encounter

    @property
    def path(self) -> str:
        """The encounter's path in the API."""
        return self.gm.path


def sit_down(owner: Rewound, fight: ScriptedFight) -> ScriptTable:
    """Open the encounter and give every player a token."""
    table = owner.open(fight.opening)
    return ScriptTable({GM: table} | {seat: table.sit(seat) for seat in fight.seats})


def play(table: ScriptTable, fight: ScriptedFight, *, by_script: bool) -> Iterator[ScriptMoment]:
    """Play *fight* and yield every command that was sent.

    With *by_script* the fight must not differ from the script. Raises `NotAsWritten`.
    """
    playing = _Playing(table, list(fight.steps), by_script=by_script)
    yield from playing.run()


@dataclass
class _Playing:
    """A fight under way, with its remaining steps."""

    table: ScriptTable
    left: list[ScriptStep]
    by_script: bool = field(kw_only=True)

    def run(self) -> Iterator[ScriptMoment]:
        while self.left:
            step = self.left[0]
            if step.check is not None:
                _check_state(self.table, self.left.pop(0))
                continue
            if not self.by_script:
                yield from self._answer_others()
                if step.prompt is not None and not any(_answers(step, p) for p in self._owed()):
                    self.left.pop(0)
                    continue
            self.left.pop(0)
            yield self._send(step)
        if not self.by_script:
            yield from self._answer_others()

    def _send(self, step: ScriptStep) -> ScriptMoment:
        assert step.send is not None, "only commands are sent"
        try:
            outcome = self.table.seats[step.seat].send(step.send)
        except Problem as problem:
            if self.by_script or not isinstance(problem, Refused):
                raise NotAsWritten(f"{step.seat} sends {step.send['type']}: {problem}") from problem
            return ScriptMoment(
                step.says, step.seat, step.send, {"outcome": "refused", "refusal": problem.data}
            )
        return ScriptMoment(step.says, step.seat, step.send, outcome)

    def _owed(self) -> Sequence[Mapping[str, Any]]:
        """Return the prompts that play waits for and whose seats the GM may know."""
        waiting = self.table.gm.get()["waiting"]
        return [prompt for prompt in waiting if prompt["seat"] and not prompt["optional"]]

    def _answer_others(self) -> Iterator[ScriptMoment]:
        """Answer every prompt that no step answers, as passively as possible."""
        while True:
            other = [prompt for prompt in self._owed() if not self._is_planned(prompt)]
            send = self._quiet_move(other[0]) if other else {}
            if not send:
                return
            yield self._send(ScriptStep("", other[0]["seat"], send))

    def _is_planned(self, prompt: Mapping[str, Any]) -> bool:
        """Return whether a step answers *prompt*: it names the prompt, or is next and of an accepted type."""
        if any(_answers(step, prompt) for step in self.left):
            return True
        send = self.left[0].send if self.left else None
        return send is not None and send["type"] in prompt["accepts"] and "prompt" not in send

    def _quiet_move(self, prompt: Mapping[str, Any]) -> dict[str, Any]:
        """Return the most passive command that answers *prompt*; empty if none is offered."""
        options = self.table.seats[prompt["seat"]].options()["options"]
        offers = [
            offer
            for option in options
            if option["prompt"]["prompt"] == prompt["prompt"]
            for offer in option["commands"]
        ]
        offers.sort(key=lambda offer: not offer["command"]["type"].startswith(_QUIET))
        return _command(offers[0]) if offers else {}


def _answers(step: ScriptStep, prompt: Mapping[str, Any]) -> bool:
    """Return whether *step* answers *prompt*; both seats of a contest have a prompt of the same name."""
    return (step.prompt, step.seat) == (prompt["prompt"], prompt["seat"])


def _command(offer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the command that an offer describes, with the first choice of each field."""
    return {**offer["command"], **{name: values_of(choice)[0] for name, choice in offer["choices"].items()}}


def _check_state(table: ScriptTable, step: ScriptStep) -> None:
    """Compare the GM's view of the state with a check; raises `NotAsWritten`."""
    assert step.check is not None, "only checks are held"
    state = table.gm.state()["state"]
    fault = difference(step.check, state)
    if fault is not None:
        raise NotAsWritten(f"{step.says} But {fault}")


def difference(wanted: Any, found: Any, at: str = "") -> str | None:  # noqa: ANN401 - JSON
    """Return where *found* differs from *wanted*, None if it contains all of *wanted*."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            fault = difference(value, found.get(key), f"{at}/{key}")
            if fault is not None:
                return fault
        return None
    return None if wanted == found else f"{at} is {found!r}, not {wanted!r}"

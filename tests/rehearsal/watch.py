"""Scrape `/metrics` once a second as Prometheus does, and tell which alert rules hold.

An `increase` is counted from the last `mark`, where a rule of Prometheus looks back over its own window. The
time that an alert has to hold (`for`) is not waited for.
"""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final, Self

import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.nemesis.http import HOST, Line, LostError, NeverSentError
from tests.support.promql import Samples, fires

RULES_FILE: Final = Path(__file__).parents[2] / "deploy" / "observe" / "alerts.yaml"
EVERY_S: Final = 1.0
UP: Final = ("up", (("job", "rewound"),))


def rules() -> dict[str, str]:
    """Return the expression of every alert rule by its name."""
    groups: list[dict[str, Any]] = yaml.safe_load(RULES_FILE.read_text("utf-8"))["groups"]
    return {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"]}


class Watch:
    """Scrapes one API process by its *port* with an operator's *key*; use it as a context."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key = port, key
        self.rules = rules()
        self.seen: set[str] = set()
        """Every alert that has held."""
        self._before: Samples = {}
        self._now: Samples = {}
        self._lock = Lock()
        self._over = Event()

    def mark(self) -> None:
        """Count increases from now on."""
        now = self._scrape()
        with self._lock:
            self._before = self._now = now

    def firing(self) -> set[str]:
        """Return the alerts that hold by the last scrape."""
        with self._lock:
            before, now = self._before, self._now
        return {name for name, rule in self.rules.items() if fires(rule, before, now)}

    def value(self, name: str) -> float:
        """Return the sum of a metric over its labels, by the last scrape."""
        with self._lock:
            return sum(value for (each, _), value in self._now.items() if each == name)

    def until(self, alert: str, *, holds: bool, within_s: float = 240.0) -> float:
        """Wait until *alert* holds, or no longer does; return the seconds that took."""
        began = time.monotonic()
        while (alert in self.firing()) != holds:
            waited = time.monotonic() - began
            assert waited < within_s, (
                f"{alert} {'does not hold' if holds else 'still holds'}: {self.firing()}"
            )
            time.sleep(0.2)
        if holds:
            self.seen.add(alert)
        return time.monotonic() - began

    def _scrape(self) -> Samples:
        line = Line(self.port, answer_s=10.0)
        try:
            reply = line.ask("GET", "/metrics", self.key)
        except (LostError, NeverSentError):
            return {UP: 0.0}
        finally:
            line.close()
        if reply.status != 200:
            return {UP: 0.0}
        found = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(reply.data.decode())
            for sample in family.samples
        }
        return {**found, UP: 1.0}

    def _go(self) -> None:
        while not self._over.wait(EVERY_S):
            now = self._scrape()
            with self._lock:
                self._now = now

    def __enter__(self) -> Self:
        self.mark()
        Thread(target=self._go, name=f"scrape {HOST}:{self.port}", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

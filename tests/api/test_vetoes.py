"""A host with the source makes its own code crash on a player: the record says so, and the audit names it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.audit import bundle
from service.audit.verify import verify
from service.core.decide import decide_request
from service.record.commit import load_request
from tests.api.client import Table, is_problem
from tests.api.conftest import BOTH
from workers import fold


@pytest.mark.plants_crash
def test_a_host_whose_code_crashes_on_one_player_is_named(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def biased(*given: Any) -> Any:
        if load_request(given[2]).actor.seat == "ada":
            raise KeyError("ada")
        return decide_request(*given)

    monkeypatch.setattr(fold, "decide_request", biased)
    answer = is_problem(table.send(table.ada, {"type": "choose", "number": 3}), 409, "command-quarantined")
    table.send(table.bo, {"type": "choose", "number": 3})

    evidence = bundle.read(table.gm("GET", f"{table.at}/bundle").data)
    said = json.loads(evidence.commits[answer["n"] - 1])["quarantine"]
    assert (said["cause"], said["error"]) == ("crashed", "KeyError")
    assert said["place"].startswith("tests.api.test_vetoes:")
    assert str(verify(evidence, BOTH).verdict) == f"false_quarantine({answer['n']})"

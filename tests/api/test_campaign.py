"""Play the campaign of the examples over HTTP: five encounters, one chain, one forged carry."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

from service.usecases.services import Services
from tests.api.client import Api
from tests.support.in_process_service import BOTH
from workers.audits import Auditor

SCRIPT = Path(__file__).parents[2] / "examples" / "campaign" / "play.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("campaign_example", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_campaign_shows_what_it_says(owner: Api, services: Services) -> None:
    played = script()
    auditor = Auditor(services.log, BOTH, worker="one", stopping=Event())

    def call(method: str, path: str, data: object = None) -> Any:
        if method == "POST" and path.endswith("/audits"):
            for each in opened:  # a served worker signs in the background
                owner("POST", f"{each}/checkpoints", Prefer="wait=30")
        answer = owner(method, path, data)
        found = json.loads(answer.text)
        if answer.status_code >= 400:
            raise played.Refused(found)
        if method == "POST" and path == "/v1/encounters":
            opened.append(f"{path}/{found['encounter']}")
        if method == "POST" and path.endswith("/audits"):
            auditor.look()
        return found

    opened: list[str] = []
    shown = played.campaign(call)
    [wound], [treated] = shown.pop("wounded"), shown.pop("treated")
    assert wound > treated > 3, "there is something left for the days to heal"
    assert shown == {
        "healed": [treated - 3],
        "weekly, three days later": "frequency_exhausted",
        "orc": ["restrained"],
        "weekly, ten days later": "",
        "poison lapsed": True,
        "chain": ["valid_to_epoch"] * 5,
        "carried": ["carried"],
        "forged": ("carry_forged", "destiny_points"),
    }

"""The page of lies is what both verifiers say of the vectors, and no vector that lies is left out."""

from __future__ import annotations

import json

from tests.audit.bundle_vectors import TABLE
from tests.audit.lies import LIES, PAGE, ROLES, UNSEEN, page, rows
from tests.audit.log_vectors import TABLE as LOG_TABLE


def test_the_page_is_what_both_verifiers_say() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python -m tests.audit.lies`"


def test_every_vector_that_lies_has_its_row_and_no_row_is_without_one() -> None:
    told = list(rows())
    assert {row.name for row in told} == set(LIES)
    assert {row.role for row in told} == set(ROLES)
    assert len(told) >= 120
    assert [row.name for row in told if row.with_rules.startswith("valid")] == []


def test_what_stays_unseen_is_sound_in_both_verifiers() -> None:
    sound = {row["name"]: row["verdict"] for row in json.loads(TABLE.read_text("utf-8"))}
    logged = json.loads(LOG_TABLE.read_text("utf-8"))["vectors"]
    sound |= {f"log {row['name']}": row["verdict"] for row in logged}
    shown = [vector for _, vector in UNSEEN if vector]
    assert len(shown) >= 6
    assert all(sound[vector].startswith("valid") for vector in shown)

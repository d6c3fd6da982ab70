"""Nobody computes a die of the running round: tried with everything that any seat is shown."""

from __future__ import annotations

import pytest

from tests.audit.attack import attacked


@pytest.mark.parametrize("seed", range(12))
def test_a_live_audit_gives_no_die_of_the_open_epoch(seed: int) -> None:
    assert attacked(seed) == []

"""A reader who knows a seat's key holds the record to it, whatever keys the host or the gm wrote there."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from service.cli import main
from tests.audit.bundle_vectors import OTHER, SEAT_KEY, bare, keyed, said, spelled
from tests.audit.refitted import with_request
from tests.support.javascript_verifier import OTHERWISE, Case, expected, judged

FOREIGN = OTHER.public.hex()


def both(raw: bytes, key: str = SEAT_KEY) -> tuple[str, str]:
    """Return what both verifiers say to somebody who knows that ada has this key."""
    case = Case(raw, seat_keys={"ada": key})
    return expected(case), judged([case])[0]


def test_a_record_that_is_signed_by_the_pinned_key_holds() -> None:
    assert both(said(keyed(), 4)) == (OTHERWISE,) * 2


def test_a_host_that_gives_a_seat_another_key_and_speaks_for_it_is_named() -> None:
    assert both(said(keyed(), 4), FOREIGN) == ("forged_command(4)",) * 2


def test_a_host_that_leaves_the_key_out_and_speaks_for_the_seat_is_named() -> None:
    assert both(spelled(bare())) == ("forged_command(4)",) * 2


@pytest.mark.parametrize(("key", "verdict"), [(SEAT_KEY, OTHERWISE), (FOREIGN, "forged_command(4)")])
def test_the_command_that_sets_the_pinned_key_needs_no_signature(key: str, verdict: str) -> None:
    own = {"type": "set_seat_key", "data": {"seat": "ada", "key": key}}
    assert both(with_request(bare(), 4, lambda data: data.update(own))) == (verdict,) * 2


def test_a_seat_key_that_is_none_is_a_wrong_option() -> None:
    done = CliRunner().invoke(main, ["verify", __file__, "--seat-key", "ada:12"])
    assert done.exit_code == 2
    assert "not a seat, a colon and 64" in " ".join(done.output.split())

"""A reader who knows a seat's key holds the record to it, whatever keys the host or the gm wrote there."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from service.audit import bundle
from service.audit.evidence import stored
from service.audit.fight import verify_fight
from service.cli import main
from tests.audit.bundle_vectors import OTHER, SEAT_KEY, bare, keyed, said, spelled
from tests.audit.refitted import with_request
from tests.support.in_process_service import BOTH, House
from tests.support.javascript_verifier import OTHERWISE, Case, expected, judged, node
from tests.support.tiny_game import TINY

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


def test_a_key_that_was_set_in_play_that_was_taken_back_is_in_both_reports() -> None:
    """The seat keeps it, and only the acceptance of the new line says so."""
    with House() as house:
        line = house.open(TINY, {})
        house.send(line, "gm", "add", amount=4)
        house.send(line, "ada", "set_seat_key", seat="ada", key=SEAT_KEY)
        after = house.accept(line, house.proposed(line, "undo", commit=2))
        fight = [stored(house.log, each) for each in (line, after)]
        report = verify_fight(fight, BOTH, without_rules=True)
        raw = b"".join(bundle.write_fight(fight, "gm"))

    said = {"seat": "ada", "key": SEAT_KEY, "n": 3, "by": "clock", "commands": 0, "given": False}
    assert list(report.seat_keys) == [said]
    assert json.loads(node("tests/clients/decisions.mjs", "{}", told=raw.decode()))["seat_keys"] == [said]


def test_a_seat_key_that_is_none_is_a_wrong_option() -> None:
    done = CliRunner().invoke(main, ["verify", __file__, "--seat-key", "ada:12"])
    assert done.exit_code == 2
    assert "not a seat, a colon and 64" in " ".join(done.output.split())

"""Envelopes: what lies in them is kept with its salt, and damage to it is for the audit to tell."""

from __future__ import annotations

import pytest

from service.record.envelopes import SALT_BYTES, StoredEnvelope


def test_what_was_stored_is_taken_out_as_it_was() -> None:
    lies = StoredEnvelope(payload=b'{"stance":"might"}', salt=bytes(range(SALT_BYTES)))

    assert StoredEnvelope.of(lies.stored) == lies


@pytest.mark.parametrize("length", [0, 1, SALT_BYTES - 1, SALT_BYTES])
def test_damaged_bytes_have_a_salt_of_its_length_and_no_payload(length: int) -> None:
    lies = StoredEnvelope.of(b"\xff" * length)

    assert (lies.payload, len(lies.salt)) == (b"", SALT_BYTES)

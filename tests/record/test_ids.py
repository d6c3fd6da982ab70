"""Ids that are made of hashes are UUIDs of version 8."""

from __future__ import annotations

from uuid import RFC_4122, UUID

import pytest

from service.record.ids import uuid8


@pytest.mark.parametrize("byte", [0x00, 0x5A, 0xFF])
def test_an_id_has_its_version_and_variant_and_all_other_bits_of_the_hash(byte: int) -> None:
    made = UUID(uuid8(bytes([byte]) * 32))
    assert (made.version, made.variant) == (8, RFC_4122)
    free = ~(0xF << 76 | 0x3 << 62) & (1 << 128) - 1
    assert made.int & free == int.from_bytes(bytes([byte]) * 16, "big") & free

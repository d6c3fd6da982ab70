"""A quick part of what `make cluster` runs: commands through the API and through worker processes."""

from tests.api.test_arrays import (
    test_an_array_is_decided_in_order_each_on_its_own,
    test_the_whole_array_happens_once,
)
from tests.api.test_served import port, served, test_a_fight_begins_over_http
from tests.workers.test_processes import (
    test_a_ring_folds_what_was_sent,
    test_groups_share_a_worker,
    test_two_workers_on_one_encounter_write_each_commit_once,
)

__all__ = [
    "port",
    "served",
    "test_a_fight_begins_over_http",
    "test_a_ring_folds_what_was_sent",
    "test_an_array_is_decided_in_order_each_on_its_own",
    "test_groups_share_a_worker",
    "test_the_whole_array_happens_once",
    "test_two_workers_on_one_encounter_write_each_commit_once",
]

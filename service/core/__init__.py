"""Decide, fold and view encounters: pure functions over the record and the rules, and snapshots of states."""

"""Carry movements out: initiative, conflicts, following, withdrawing, blocking, riding."""

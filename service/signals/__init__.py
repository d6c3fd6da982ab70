"""Notify and listen: the doorbell, outcomes, event feeds, heartbeats, and allowed webhook addresses."""

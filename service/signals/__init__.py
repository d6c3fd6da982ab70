"""Notify and listen: the doorbell, outcomes, event feeds, heartbeats, and where webhooks may lead."""

"""Data beside the event log: index, keys, seats, secrets, checkpoints, jobs, webhooks, archive."""

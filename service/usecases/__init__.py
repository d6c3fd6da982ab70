"""What the API does: open, send, read, follow, fork, amend. Each takes the services it works with."""

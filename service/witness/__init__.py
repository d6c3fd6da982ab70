"""A witness: a service of its own that cosigns the checkpoints of logs that only grow."""

"""Keep what stands beside the log: owners, keys, seats, secrets, checkpoints, disputes and jobs."""

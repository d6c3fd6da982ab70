"""Roll pools, checks, saves and contests, with everything that makes them better or worse."""

"""Let rounds go by: start, priority, turns, the clock, and what is over at once."""

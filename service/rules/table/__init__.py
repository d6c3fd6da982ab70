"""The state that every ruleset shares: seats, options, counts of rolls, and the stack of unfinished steps."""

"""Fight engagements: joining, stances, targets, steps, exchanges, attacks, reactions, aftermath."""

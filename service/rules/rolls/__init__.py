"""Throw dice, from committed seeds or as people declare them; begin and close the epochs of the seeds."""

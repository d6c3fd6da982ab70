"""Run the round: the movement phase, the action phase, and the merge that makes everything true."""

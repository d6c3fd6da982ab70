"""Plan in secret what the movement phase will carry out."""

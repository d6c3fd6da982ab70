"""Fold encounters in the background: every appended command becomes exactly one commit."""

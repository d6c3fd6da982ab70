"""Decide requests into commits, and fold commits into states."""

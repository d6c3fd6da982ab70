"""Spell requests, commits and envelopes as bytes, chain them, and say which code decides."""

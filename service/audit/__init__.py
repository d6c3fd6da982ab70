"""Prove an encounter: its bytes, its dice and its decisions."""

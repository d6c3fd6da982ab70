"""Tabletop combat as an event-sourced record: commands in, commits out, every die provable."""

"""Run tabletop combat as a record: commands in, commits out, every die provable."""

"""Carry out what abilities are written with: operations and effects as data, and whom they mean."""

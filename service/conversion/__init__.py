"""Convert files of other tools to parts of an opening: maps of Universal VTT, creatures of tables."""

"""Contest a ruling, answer a contest, and continue the encounter from an earlier commit."""

"""Know the grid: which cells can be reached, who watches them, and where a push leads."""

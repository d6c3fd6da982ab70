"""Know the grid: paths and their costs, lines of sight, paces, heights, mounts, pushes."""

"""Form allied groups, open a world for each, and wait at the table for those that act apart."""

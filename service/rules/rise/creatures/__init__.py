"""Hold what a creature of Rise is: its sheet, its numbers as they are now, and what lasts on it."""

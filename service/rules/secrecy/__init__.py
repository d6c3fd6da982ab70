"""What some seats may not know yet: GM-only fields, hidden creatures, the GM's rolls, groups apart."""

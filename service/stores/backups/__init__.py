"""Write the whole store into files, and put it into an empty store."""

"""Show states and commits as a seat may see them, explain them and compare them."""

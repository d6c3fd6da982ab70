"""Hold what may happen and what is true: pure rules, decided and evolved without clock, chance or I/O."""

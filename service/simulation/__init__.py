"""Play whole encounters without people: bots that pick from the options, many times over."""

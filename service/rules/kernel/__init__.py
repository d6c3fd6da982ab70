"""What every state and message is made of: records, their bytes, sealed values, messages, and rules by id."""

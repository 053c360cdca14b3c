"""Events and lists written in the formats that are read."""

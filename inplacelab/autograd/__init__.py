"""The gradient history: what is saved, how it is rewritten when bytes are shared, and how backward goes through it."""

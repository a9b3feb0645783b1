"""Recorders: they watch a program run and write a `Recording`, the only thing that pictures are drawn from."""

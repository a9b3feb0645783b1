"""Builds a recording from events. It depends on no engine and no framework: all that it needs is in the events.

builder.py      `Builder`: matches events into steps        objects.py   storages, counters and tensors, and their names
changes.py      what is new since the last step             decode.py    bytes to values
"""

from inplacelab.recorders.builder.builder import Builder, build

__all__ = ["Builder", "build"]

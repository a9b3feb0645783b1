"""Proves on published architectures that recording and explaining change nothing, and that recordings are true.

`entry.py` says what an architecture's program is; `entries/` lists them, in files by field. `running.py` runs one program plain, recorded
and explained, and compares what it has left; `replaying.py` runs each recorded operation again; `planting.py` plants a write that
`explain` has to find; `table.py` writes the page of the documentation. `python -m tests.zoo` tries all entries.
"""

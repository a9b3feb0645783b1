"""A slow, independent witness of what a program does: recordings are compared with it.

`alive.py` finds by brute force what is alive after each statement, `recorded.py` reads the same from a recording, and `trial.py` puts the
two side by side. `random_programs.py` writes the programs. `python -m tests.witness --programs 1000` tries many of them.
"""

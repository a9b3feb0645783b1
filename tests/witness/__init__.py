"""Compares recordings with a slow, independent observation of the program.

`alive.py` finds the live objects after each statement by brute force, `recorded.py` reads the same from a recording, and `trial.py`
compares the two. `random_programs.py` writes the programs. `python -m tests.witness --programs 1000` tries many of them.
"""

"""Two recordings side by side.

alignment.py    which steps stand side by side      contrast.py   what differs between them at one position
conclusion.py   all positions, and what the comparison comes to, in words
"""

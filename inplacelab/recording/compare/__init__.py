"""Two recordings side by side, and the recordings of several ranks.

alignment.py    which steps stand side by side      contrast.py   what differs between them at one position
conclusion.py   all positions, and what the comparison comes to, in words
ranks.py        several ranks on one axis, and where their replicas part
"""

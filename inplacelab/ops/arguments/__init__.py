"""Checks of what an operation is given: all of them come before the first change.

- keywords.py: alternative keywords, separate numbers instead of a list, options of the functions that create tensors
- operands.py: tensors, and numbers instead of them; operands that share slots with the target; dtypes of results
- attributes.py: numbers, sizes, and indices (lists of positions, positions along an axis)
"""

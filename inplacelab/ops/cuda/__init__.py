"""CUDA kernels of rows: `expressions.py` makes the steps of a kernel from a row, `own_kernels.py` launches it."""

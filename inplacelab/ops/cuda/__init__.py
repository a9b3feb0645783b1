"""CUDA kernels of the rows of the table."""

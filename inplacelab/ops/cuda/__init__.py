"""From the rows of the table to our own kernels in CUDA C."""

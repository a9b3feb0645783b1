"""Results of operations: destinations, changes of metadata, constant and random tensors, and tools for kernels."""

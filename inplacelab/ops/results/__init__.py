"""Results of operations.

- metadata.py: views and changes of metadata
- destinations.py: tensors that a result goes into: those given as `out=`, and new storages of a tensor
- kernel_tools.py: helpers for kernels
- random_stream.py: the seeded stream of random numbers
"""

"""Results of operations.

The modules:

    destinations.py      the tensor to write into                 metadata.py         views, and changes of metadata
    constant_tensors.py  `zeros`, `full` and their like           random_stream.py    random numbers
    kernel_tools.py      helpers for kernels and derivatives
"""

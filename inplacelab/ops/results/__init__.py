"""Results of operations.

metadata.py        views and changes of metadata            destinations.py    tensors that a result goes into: `out=`, `x.cast_()`
kernel_tools.py    helpers for kernels                      random_stream.py   the seeded stream of random numbers
touched_slots.py   which slots a call reads and writes, for observers
"""

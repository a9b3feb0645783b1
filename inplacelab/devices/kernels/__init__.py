"""Kernels in CUDA C, and the tools that run and test them without a GPU.

A kernel is a `.cu` file with a few placeholders filled in (`source`). The same text runs on a GPU (`on_gpu`), can be compiled
without one (`compile`), and runs on the CPU, thread by thread, with a trace of every access (`on_cpu`).

    geometry   the slots that each thread accesses, as pure functions
    traffic    the cost of these accesses: sectors of 32 bytes for each warp, bytes for a launch
    launch     one launch as plain data, for recorders and pictures

Nothing here depends on tensors or rows of the table; `inplacelab.kernels` combines the two.
"""

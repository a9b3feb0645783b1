"""Kernels in CUDA C, and all that is needed to be sure of them without a GPU.

A kernel is a `.cu` file with a few places filled in (`source`). The same text runs on a GPU (`on_gpu`), is compiled for GPUs
that are not there (`compile`), and runs on the CPU, thread by thread, with every access written down (`on_cpu`).

    geometry   which thread touches which slots, as pure functions
    traffic    what that costs: sectors of 32 bytes for each warp, bytes for a launch
    launch     one launch as plain data, for recorders and pictures

Nothing here knows a tensor or a row of the table; `inplacelab.kernels` brings the two together.
"""

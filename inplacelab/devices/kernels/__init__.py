"""Kernels in CUDA C, and tools to check them without a GPU.

A kernel is a `.cu` file in this folder. Most are templates for the expression of a row (`cuda="x > 0 ? x : 0"`), or of several rows
for a fused chain; others are complete (normalize, transpose, scatter). A kernel includes no headers, so NVRTC needs nothing else to
compile it, and a lesson can show all of it. **One source, three uses**:

    row's expression --> source.py --> text --> on_gpu.py    NVRTC compiles it, CuPy launches it
      (.cu files)                          --> compile.py   NVRTC compiles it for sm_75, sm_80, sm_90: no GPU needed
                                           --> on_cpu.py    g++ compiles it with `cuda_on_cpu.h`: runs thread by thread

    access_plan  how a launch walks through memory: merges axes, orders them by the operand that is written, packs 16 bytes,
                 loads a broadcast operand once for a pack, uses 32-bit indices where they suffice; each is a form of the source
    launch       one launch as plain data, for observers and pictures
    geometry     the slots that each thread accesses, as pure functions
    traffic      the memory traffic: sectors of 32 bytes for each warp, bytes for a launch
    trace        every access of a run on the CPU; finds races

On the CPU the kernel's parameters are traced pointers and its threads are fibers (contexts on Linux, system threads elsewhere). A
run reports an access outside its memory and a barrier that not all threads reach. Tests compare `geometry` and `traffic` with the
trace, access by access.

This package does not use tensors or rows. `ops/cuda/expressions.py` makes a step of a kernel from a row, `ops/cuda/own_kernels.py` plans
its launch, and there are two ways to run that plan:

    x.relu_()                   the generated function calls `LAUNCHED(...)` first if the device `launches`:
                                  on a GPU       the kernel is launched; CuPy computes what it cannot
                                  simulated      the launch is reported if there is an observer; NumPy computes
                                  on the CPU     `launches` is False: one test
    kernels.run("relu_", x)     the same row with this kernel in place of NumPy's

So the simulated GPU reports the launches of a real one; tests compare the two for every row, variant and dtype. A kernel computes in
the dtype in which NumPy computes; operands of other dtypes are converted when read and written. It is not used for complex
operands, for attributes that it does not take, or for empty tensors.

It is compiled with `--fmad=false`: a product and a sum are rounded separately, as in NumPy. Half precision is 16 bits in memory and a
`float` in every computation, rounded once when stored (`half.cu`, because CUDA's own type needs a header). Floats outside the range
of an integer type are converted as on x86, on every device (`whole_number.cu`).
"""

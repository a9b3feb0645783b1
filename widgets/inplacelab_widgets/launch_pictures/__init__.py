"""`KernelView`: the picture of a kernel launch, with the slots that each thread touches and the memory traffic.

    launches       a launch with the facts that a recording has about it, and the memory requests of a warp
    blocks         the blocks, warps and threads, and which of them are drawn in advance
    picked_thread  the thread's arithmetic, and the sectors that its warp touches
    facts          what does not depend on the pick: head, totals, legend, tables
    formats        the data for the player, static pictures, pages and text
    view           the widget

A recording stores a launch as plain facts: grid, block, the operands' layouts and storages. It does not store a million accesses:
`kernels/geometry.py` and `traffic.py` compute from these facts which thread touches which slots, and tests compare them with
the real kernels. By an import contract these modules use no array, tensor or device, so pictures may import them, and nothing else
of the engine.

A small launch is drawn whole. Of a larger one `picks_of` chooses blocks, warps and turns: the first and the last, partly filled
ones, those with the most threads on one slot, and the picked one. The view lists them; the others are faint. A thread picked from Python is always drawn.
In the browser `player/launch_picker.js` chooses a step by its thread; it does no arithmetic on launches.
"""

"""`KernelView`: a launch of a kernel as a picture. Which thread touches which slots, and what that costs.

    launches       a launch with what a recording knows of it
    warp_accesses  what the warp of a picked thread asks for: slots, sectors, bytes
    picks          which threads are drawn beforehand
    formulas       the thread's arithmetic, with its numbers in it
    drawing        what marks are; `blocks` and `strips` make those that depend on the pick
    fixed_marks    the marks that do not: head, totals, legend
    scene          all marks of one pick
    animation      the marks over all picks: a pick is a step of the player
    tables         the same facts as tables
    payload        what the player is sent
    exports        static pictures, pages and text
    view           the widget

A recording keeps a launch as plain facts: grid, block, the operands' layouts and storages. It does not keep a million accesses,
because which thread touches which slots follows from these facts by the arithmetic of `devices/kernels/geometry.py` and
`traffic.py`, which tests compare with what the kernels do. These modules know no array, tensor or device (a contract), so pictures
may import them, and nothing else of the engine.

A small launch is drawn whole. Of a larger one `picks.py` chooses blocks, warps and turns: the first and the last, those filled in
part, where most threads meet, the picked one. The view says which; the others are faint. A thread picked from Python is always drawn.
In the browser `player/picks.js` chooses a step by its thread; it does no arithmetic on launches.
"""

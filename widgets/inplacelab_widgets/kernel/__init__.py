"""`KernelView`: a launch of a kernel as a picture. Which thread touches which slots, and what that costs.

    shown     a launch with what a recording knows of it
    pick      what the warp of a picked thread asks for: slots, sectors, bytes
    formulas  the thread's arithmetic, with its numbers in it
    drawing   the marks that depend on the pick; `blocks` and `strips` are its parts
    fixed     the marks that do not: head, totals, legend
    tables    the same facts for those who read them
    twins     still pictures, pages and text
    view      the widget

What depends on the pick is worked out in the browser too (`*.js`), because a launch has more threads than pictures could be sent
for. Tests hold the two against each other, mark by mark.
"""

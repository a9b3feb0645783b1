"""`KernelView`: a launch of a kernel as a picture. Which thread touches which slots, and what that costs.

    shown     a launch with what a recording knows of it
    pick      what the warp of a picked thread asks for: slots, sectors, bytes
    picks     which threads are drawn beforehand
    formulas  the thread's arithmetic, with its numbers in it
    drawing   what marks are; `blocks` and `strips` make those that depend on the pick
    fixed     the marks that do not: head, totals, legend
    scene     all marks of one pick
    film      the marks over all picks: a pick is a step of the player
    tables    the same facts as tables
    payload   what the player is sent
    twins     still pictures, pages and text
    view      the widget

The player is the one of all views; `player/picks.js` chooses a step by its thread.
"""

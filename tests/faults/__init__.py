"""Fault injection: random programs in which something fails, judged by the reference interpreter of `tests/oracle`.

After the fault the program goes on, as a notebook does after an interrupt. Then every gradient must be right or refused, the memory
account exact, and no mode left switched.

The modules:

    faults       the faults: a kernel, an allocation or a callback that raises, an interrupt before a bytecode or by a signal
    launches     wraps the kernels of the generated operations, so that they can fail before, after or in the middle of a write
    plan         a random fault in a random program, as data; settings: recorded, copying, on the simulated GPU
    layers       custom operations and hooks that fail on demand
    wording      the code of a statement, with these hooks and custom operations
    session      runs a program with its fault, and observes the state around the statement that failed
    state        what must hold after every fault: the ledger, the modes, the listeners
    truths       what may be true after a fault: not done, done, or partly written (then no gradient may flow through)
    verdict      compares the outcome with the truths
    variants     one call, interrupted before each of its bytecodes; composites: writes that are not rows of the table
    campaign     many programs and the table of counts: `python -m tests.faults --programs 1000`
"""

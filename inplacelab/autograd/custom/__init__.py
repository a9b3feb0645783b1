"""Custom operations; `PyLayer` is the public class.

The modules:

    call.py   one call: its inputs, and the history of its results     context.py        what `forward` passes to `backward`
    node.py   the grad nodes                                           kept_tensors.py   the saved tensors
"""

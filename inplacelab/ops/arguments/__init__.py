"""Arguments of operations: tensors, numbers, shapes, indices and options, checked and converted to the engine's form.

The modules:

    operands.py          tensors, or what becomes one             overlap.py          operands that share slots with the target
    type_promotion.py    the dtype of a result from two others    attributes.py       numbers and shapes
    index_checks.py      indices, before the first write          axis_index.py       indices along an axis
    keywords.py          alternative keywords                     creation_options.py `device=`, `requires_grad=`, `out=` and others
"""

"""Arguments of operations: tensors, numbers, shapes, indices and options, checked and converted to the engine's form."""

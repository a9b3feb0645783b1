"""What an operation is given: tensors, numbers, shapes, indices and options, checked and brought into the engine's form."""

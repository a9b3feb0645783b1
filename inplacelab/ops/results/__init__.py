"""What operations make their results with: destinations, other metadata, constant and random tensors, tools for kernels."""

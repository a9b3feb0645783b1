"""Custom operations: their calls, grad nodes and saved tensors. `PyLayer` is the public class."""

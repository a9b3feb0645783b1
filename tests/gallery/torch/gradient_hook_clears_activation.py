"""A hook that frees memory while gradients flow: it zeroes an activation that backward still needs.

The product keeps the activation.
"""

import torch

a = torch.ones(3, requires_grad=True)
activation = a * 2
energy = activation.square()  # kept  # fix: energy = activation.clone().square()


def clear(gradient):
    activation.zero_()  # overwritten


energy.register_hook(clear)
energy.sum().backward()  # fails

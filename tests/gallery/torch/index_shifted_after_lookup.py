"""Rows of a table are looked up, then the index is advanced in place for the next lookup.

The lookup keeps the index, to know to which rows the gradient goes.
"""

import torch

torch.manual_seed(0)
table = torch.randn(5, 3, requires_grad=True)
position = torch.tensor([0, 1, 2])
now = table[position]  # kept
position += 1  # overwritten  # fix: position = position + 1
following = table[position]
(following - now).pow(2).sum().backward()  # fails

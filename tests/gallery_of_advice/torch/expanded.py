"""Several elements of an expanded tensor are one slot."""

import torch

torch.manual_seed(0)
row = torch.randn(3, 1).expand(3, 4)
y = row * 2  # mul: expanded
y = y + 1  # add: may
column = torch.randn(3, 1)
z = column * torch.ones(3, 4)  # mul: may
big = column + column.t()  # add: shape
print(y, z, big)

"""Two branches chosen by one mask, which is inverted in place in between.

`where` keeps the mask, to know which elements came from which branch.
"""

import torch

torch.manual_seed(0)
x = torch.randn(4, requires_grad=True)
mask = torch.tensor([True, False, True, False])
left = torch.where(mask, x.sin(), x)  # kept
mask.logical_not_()  # overwritten  # fix: mask = mask.logical_not()
right = torch.where(mask, x.cos(), x)
(left * right).sum().backward()  # fails

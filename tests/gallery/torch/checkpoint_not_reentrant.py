"""A checkpointed block, of the kind that is not reentrant, whose input is scaled in place after the block has run.

The checkpoint has kept the input, to run the block again during backward.
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
stem, head = nn.Linear(4, 6), nn.Linear(6, 1)
block = nn.Sequential(nn.Linear(6, 6), nn.GELU(), nn.Linear(6, 6))


def forward(x):
    h = stem(x)
    out = checkpoint(block, h, use_reentrant=False)  # kept
    h.mul_(0.1)  # overwritten  # fix: h = h * 0.1
    return head(out + h)


loss = forward(torch.randn(3, 4)).pow(2).mean()
loss.backward()  # fails

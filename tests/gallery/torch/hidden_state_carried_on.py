"""A recurrent network that is trained step by step, and carries its hidden state from one step to the next.

The pass of the second step goes on into the graph of the first, which is gone. The fix changes what is computed.
"""

import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.Linear(7, 4), nn.Linear(4, 1)
hidden = torch.zeros(2, 4)
for _ in range(3):
    hidden = cell(torch.cat([torch.randn(2, 3), hidden], 1)).tanh()  # kept  # fix: hidden = cell(torch.cat([torch.randn(2, 3), hidden.detach()], 1)).tanh()
    loss = head(hidden).square().mean()
    loss.backward()  # fails: second backward

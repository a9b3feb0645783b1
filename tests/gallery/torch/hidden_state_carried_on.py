"""A recurrent network that is trained step by step, and carries its hidden state from one step to the next.

The pass of the second step goes on into the graph of the first, which is gone. The fix changes what is computed.
"""

import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.RNNCell(3, 4), nn.Linear(4, 1)
hidden = torch.zeros(2, 4)
for _ in range(3):
    hidden = cell(torch.randn(2, 3), hidden)  # kept  # fix: hidden = cell(torch.randn(2, 3), hidden.detach())
    loss = head(hidden).square().mean()
    loss.backward()  # fails: second backward

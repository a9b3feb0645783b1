"""A module with a buffer, called twice before backward, in data-parallel training.

Before every forward, DistributedDataParallel copies the buffers of the first process into those of the others, in place; here a
function does the same, so that one process is enough. Model: PyTorch issue 22095.
"""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 3)
        self.register_buffer("scale", torch.full((3,), 0.5))

    def forward(self, x):
        return (self.linear(x) * self.scale).sum()  # kept  # fix: return (self.linear(x) * self.scale.clone()).sum()


def sync_buffers(module, received):
    with torch.no_grad():
        for name, buffer in module.named_buffers():
            buffer.copy_(received[name])  # overwritten


torch.manual_seed(0)
model = Scaled()
rank_0 = {name: buffer.clone() for name, buffer in model.named_buffers()}
losses = []
for view in torch.randn(2, 4, 6):
    sync_buffers(model, rank_0)
    losses.append(model(view))
(losses[0] - losses[1]).pow(2).backward()  # fails

"""A loader that yields one buffer again and again, and losses that are added up before backward.

Each product keeps the buffer for the weight's gradient, and the next batch overwrites it.
"""

import torch

torch.manual_seed(0)
buffer = torch.empty(2, 3)


def batches(count):
    for _ in range(count):
        buffer.normal_()  # overwritten
        yield buffer  # fix: yield buffer.clone()


weight = torch.ones(3, requires_grad=True)
losses = [(batch * weight).sum() for batch in batches(3)]  # kept
torch.stack(losses).mean().backward()  # fails

"""A neural memory that is read by attention and then written with `index_put_`: the read has kept the memory."""

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, slots=4, width=3):
        super().__init__()
        self.initial = nn.Parameter(torch.randn(slots, width))
        self.read, self.write = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, queries):
        memory = self.initial.clone()
        found = []
        for slot, query in enumerate(queries):
            weights = (memory @ self.read(query)).softmax(dim=0)
            found.append(weights @ memory)  # kept
            memory.index_put_((torch.tensor(slot),), self.write(query))  # overwritten  # fix: memory = memory.index_put((torch.tensor(slot),), self.write(query))
        return torch.stack(found)


torch.manual_seed(0)
memory = Memory()
out = memory(torch.randn(3, 3))
out.pow(2).sum().backward()  # fails

"""One call constructs several modules: each of their calls counts."""

import torch
from torch import nn

torch.manual_seed(0)
first, second = nn.Linear(4, 4), nn.Linear(4, 4)
acts = [nn.ReLU() for _ in range(2)]  # relu: read
other = nn.ReLU()  # relu: may
x = torch.randn(3, 4)
h = acts[0](first(x))
g = second(h)
z = acts[1](g)
y = other(z + g)  # add: may
y.sum().backward()

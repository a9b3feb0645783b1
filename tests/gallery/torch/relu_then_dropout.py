"""ReLU and an in-place dropout, one after the other.

ReLU keeps its result, and dropout sets half of it to zero. Model: PyTorch issue 34429.
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))  # kept
        x = F.dropout(x, 0.5, training=self.training, inplace=True)  # overwritten  # fix: x = F.dropout(x, 0.5, self.training)
        return self.fc2(x)


model = Classifier().train()
loss = F.cross_entropy(model(torch.randn(4, 10)), torch.tensor([0, 1, 2, 0]))
loss.backward()  # fails

"""A small U-Net whose decoder adds the skip connection with `+=`.

tanh keeps its result, so the result may not be changed.
"""

import torch
from torch import nn

torch.manual_seed(0)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv1d(1, 4, 3, padding=1)
        self.middle = nn.Conv1d(4, 4, 3, padding=1)
        self.up = nn.ConvTranspose1d(4, 4, 2, stride=2)
        self.head = nn.Conv1d(4, 1, 1)

    def forward(self, x):
        skip = torch.tanh(self.down(x))
        x = torch.relu(self.middle(nn.functional.max_pool1d(skip, 2)))
        x = torch.tanh(self.up(x))  # kept
        x += skip  # overwritten  # fix: x = x + skip
        return self.head(x)


net = UNet()
signal = torch.randn(2, 1, 16)
loss = nn.functional.mse_loss(net(signal), signal)
loss.backward()  # fails

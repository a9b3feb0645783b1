"""A full backward hook, as for Grad-CAM, on a layer that an in-place ReLU follows: the hook makes the output a view.

Model: PyTorch issue 61519.
"""

import torch
from torch import nn

torch.manual_seed(0)
seen = []
features = nn.Conv2d(1, 2, 3)
model = nn.Sequential(features, nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(2 * 16, 1))  # fix: model = nn.Sequential(features, nn.ReLU(), nn.Flatten(), nn.Linear(2 * 16, 1))
features.register_full_backward_hook(lambda module, inputs, outputs: seen.append(outputs[0]))
score = model(torch.rand(1, 1, 6, 6, requires_grad=True))  # fails: one of several views
score.sum().backward()

"""Grad-CAM: a hook weights the activations by their gradient in place, in the middle of backward.

The ReLU that made the activations has kept them, and its turn comes just after the hook.
"""

import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU())
classifier = nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(12, 4))
heatmaps = []


def weigh(gradient):
    weights = gradient.mean(dim=(2, 3), keepdim=True)
    heatmap = activations.mul_(weights).sum(dim=1)  # overwritten  # fix: heatmap = activations.mul(weights).sum(dim=1)
    heatmaps.append(heatmap.detach().relu())


activations = features(torch.rand(2, 1, 6, 6))  # kept
activations.register_hook(weigh)
scores = classifier(activations)
scores.amax(dim=1).sum().backward()  # fails

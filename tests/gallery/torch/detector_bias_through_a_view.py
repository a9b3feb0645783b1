"""A detector that gives the biases of its head their first values through a view of them.

A view of a parameter cannot be written while autograd records: the parameter would become a result.
Model: ultralytics/yolov5#1759.
"""

import math

import torch
from torch import nn

torch.manual_seed(0)
ANCHORS, CLASSES = 3, 2


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Conv2d(width, ANCHORS * (5 + CLASSES), 1) for width in (4, 8))
        self.initialize_biases()

    def initialize_biases(self):
        for head, stride in zip(self.heads, (8, 16), strict=True):
            bias = head.bias.view(ANCHORS, -1)
            bias[:, 4] += math.log(8 / (640 / stride) ** 2)  # fails: leaf  # fix: with torch.no_grad(): bias[:, 4] += math.log(8 / (640 / stride) ** 2)
            head.bias = nn.Parameter(bias.reshape(-1).detach())


detector = Detector()
detector.heads[0](torch.randn(1, 4, 2, 2)).mean().backward()

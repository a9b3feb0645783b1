"""A loss term is weighted in place: the square root of the mean squared error has kept its result."""

import torch
from torch import nn

torch.manual_seed(0)


def total_loss(predictions, targets, weights):
    terms = []
    for prediction, target, weight in zip(predictions, targets, weights, strict=True):
        rmse = torch.sqrt(nn.functional.mse_loss(prediction, target))  # kept
        rmse *= weight  # overwritten  # fix: rmse = rmse * weight
        terms.append(rmse)
    return sum(terms)


heads = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 2)])
x = torch.randn(6, 4)
loss = total_loss([head(x) for head in heads], [torch.randn(6, 1), torch.randn(6, 2)], [0.3, 0.7])
loss.backward()  # fails

"""Style transfer: the Gram matrix of a convolution's output is taken just before the network's in-place ReLU changes that output."""

import torch
from torch import nn

torch.manual_seed(0)
vgg = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(4, 4, 3, padding=1), nn.ReLU(inplace=True)
).requires_grad_(False)


def gram(features):
    flat = features.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.shape[-1]  # kept


def style(image):
    grams = []
    for layer in vgg:
        image = layer(image)  # overwritten  # fix: image = layer(image) if isinstance(layer, nn.Conv2d) else torch.relu(image)
        if isinstance(layer, nn.Conv2d):
            grams.append(gram(image))
    return grams


target = [each.detach() for each in style(torch.rand(1, 3, 6, 6))]
image = torch.rand(1, 3, 6, 6, requires_grad=True)
loss = sum(nn.functional.mse_loss(*pair) for pair in zip(style(image), target, strict=True))
loss.backward()  # fails

"""An adversarial image is normalized channel by channel, as `torchvision` used to do it: `unbind` gives several views at once.

Model: issue 23 of AdversarialDeepFakes.
"""

import torch


def normalize(image, mean, std):
    for channel, m, s in zip(image.unbind(), mean, std, strict=True):  # fix: channels = []
        channel.sub_(m).div_(s)  # fails: one of several views  # fix:
    return image  # fix: return (image - torch.tensor(mean).view(-1, 1, 1)) / torch.tensor(std).view(-1, 1, 1)


torch.manual_seed(0)
delta = torch.zeros(3, 4, 4, requires_grad=True)
image = torch.rand(3, 4, 4) + delta
normalize(image, [0.5, 0.4, 0.3], [0.2, 0.2, 0.2]).pow(2).sum().backward()

"""The input of a pooling layer is rectified in place for another branch, after the pooling.

max_pool2d keeps its input.
"""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
image = torch.randn(1, 1, 4, 4, requires_grad=True)
features = image * 2
pooled = F.max_pool2d(features, 2)  # kept
features.relu_()  # overwritten  # fix: features = features.relu()
(pooled.sum() + features.mean()).backward()  # fails

"""A residual connection that adds the normalized activations to their own input, in place.

layer_norm keeps its input.
"""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
a = torch.randn(2, 4, requires_grad=True)
h = a * 1.5
normal = F.layer_norm(h, (4,))  # kept
h += normal  # overwritten  # fix: h = h + normal
h.pow(2).sum().backward()  # fails

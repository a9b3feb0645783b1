"""Labels are corrected in place, after the loss has been computed from them.

The loss keeps the labels, to know which log-probabilities it took.
"""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
logits = torch.randn(2, 3, requires_grad=True)
labels = torch.tensor([0, 1])
loss = F.cross_entropy(logits, labels)  # kept
labels[0] = 2  # overwritten  # fix: labels = torch.tensor([2, 1])
loss.backward()  # fails

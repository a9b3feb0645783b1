"""A soft target made with `detach()` and sharpened in place: it is the memory of the probabilities themselves.

The loss then compares the probabilities with themselves. The fix changes what is computed.
"""

import paddle
from paddle import nn

paddle.seed(0)
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
probs = nn.functional.softmax(model(paddle.randn([5, 4])))  # kept
target = probs.detach()  # fix: target = probs.detach().clone()
target.pow_(2.0)  # overwritten
target.divide_(target.sum(axis=-1, keepdim=True))  # overwritten
loss = nn.functional.mse_loss(probs, target)
loss.backward()  # fails

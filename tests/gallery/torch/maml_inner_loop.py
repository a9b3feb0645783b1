"""The inner loop of MAML, which updates the fast weights with `-=`.

With `create_graph=True` the gradient has a graph of its own, which keeps the weights for the meta-gradient.
"""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
weight = torch.randn(4, 1, requires_grad=True)
support_x, support_y = torch.randn(5, 4), torch.randn(5, 1)
query_x, query_y = torch.randn(5, 4), torch.randn(5, 1)


def predict(x, w):
    return torch.tanh(x @ w)


fast = weight.clone()
for _ in range(2):
    loss = F.mse_loss(predict(support_x, fast) * fast.norm(), support_y)
    (gradient,) = torch.autograd.grad(loss, fast, create_graph=True)  # kept
    fast -= 0.1 * gradient  # overwritten  # fix: fast = fast - 0.1 * gradient

meta_loss = F.mse_loss(predict(query_x, fast), query_y)
meta_loss.backward()  # fails

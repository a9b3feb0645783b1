"""A custom function keeps its output, which the caller then shifts in place."""

import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return gradient * y


a = torch.ones(3, requires_grad=True)
y = Exp.apply(a * 1)  # kept
y.add_(1)  # overwritten  # fix: y = y.add(1)
y.sum().backward()  # fails

import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x ** 3).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
penalty = (g.norm(2) - 1) ** 2
penalty.backward()
print(x.grad)

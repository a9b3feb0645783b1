import inplacelab.torch as torch

x = torch.tensor([-1., 2.], requires_grad=True)
h = x * 2.
out = torch.relu_(h) + h
out.sum().backward()
print(out.tolist(), x.grad.tolist())

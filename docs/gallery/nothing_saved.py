import inplacelab.torch as torch

a = torch.tensor([1., 2.], requires_grad=True)
h = a + 1.
h.mul_(3.)
h.sum().backward()
print(a.grad.tolist())

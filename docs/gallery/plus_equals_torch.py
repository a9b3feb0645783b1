import inplacelab.torch as torch

a = torch.tensor([1., 2.])
b = a
b += 1.
print(a.tolist(), b.tolist(), b is a)

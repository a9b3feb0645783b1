import inplacelab.torch as torch

a = torch.tensor([1., 2.])
wide = a.expand(3, 2)
print(wide.stride())
wide.add_(1.)

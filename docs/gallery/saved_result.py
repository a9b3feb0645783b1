import inplacelab.torch as torch

a = torch.tensor([0., 1.], requires_grad=True)
h = torch.sigmoid(a)
row = h[:1]
row.mul_(2.)
h.sum().backward()

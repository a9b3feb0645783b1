import inplacelab.torch as torch

w = torch.tensor([1., 2.], requires_grad=True)
loss = (w * w).sum()
loss.backward()
w.sub_(0.1 * w.grad)

import inplacelab.torch as torch

w = torch.tensor([1., 2.], requires_grad=True)
loss = (w * w).sum()
loss.backward()
with torch.no_grad():
    w.sub_(0.1 * w.grad)
print(w.tolist(), w._version, w.is_leaf)

import torch
x = torch.ones(4, requires_grad=True)
out = torch.zeros(4)
for i in range(4):
    out[i] = x[i] * i
out.sum().backward()
print(x.grad, out)
buf = torch.zeros(4, requires_grad=True)
buf[0] = 1.

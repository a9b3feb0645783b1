import torch
x = torch.ones(2, 2, requires_grad=True)
y = x * x
z = y.mean()
z.backward()
print(x.grad)
z.backward()

import torch
x = torch.arange(6).view(2, 3)
y = x.t()
print(y.reshape(-1))
print(y.view(-1))

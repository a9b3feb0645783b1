import torch
import numpy as np
a = torch.ones(3, requires_grad=True)
b = a * 2
print(b.detach().numpy())
print(b.cpu().numpy())

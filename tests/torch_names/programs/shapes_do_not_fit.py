import torch
import torch.nn as nn
fc = nn.Linear(10, 5)
x = torch.randn(4, 8)
fc(x)

import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        out = torch.sigmoid(self.fc(x))
        out += x
        return out

m = Block()
m(torch.ones(2, 4)).sum().backward()

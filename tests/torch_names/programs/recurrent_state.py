import torch
import torch.nn as nn
torch.manual_seed(0)
cell = nn.Linear(4 + 3, 4)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(1, 4)
for t in range(3):
    x = torch.ones(1, 3) * t
    h = torch.tanh(cell(torch.cat((x, h), dim=1)))
    loss = h.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

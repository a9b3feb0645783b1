import torch
import torch.nn as nn
backbone, head = nn.Linear(3, 3), nn.Linear(3, 1)
for p in backbone.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, list(backbone.parameters()) + list(head.parameters())), lr=0.1)
loss = head(backbone(torch.ones(1, 3))).sum()
loss.backward()
print(backbone.weight.grad, head.weight.grad.shape, [len(g["params"]) for g in opt.param_groups])
with torch.no_grad():
    y = head(backbone(torch.ones(1, 3)))
print(y.requires_grad)
y.sum().backward()

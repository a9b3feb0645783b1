import torch
import torch.nn as nn
import torch.nn.functional as F
model = nn.Linear(2, 2)
nn.init.constant_(model.weight, 0.5); nn.init.zeros_(model.bias)
opt = torch.optim.RMSprop(model.parameters(), lr=0.01)
accum = 2
for i, (x, y) in enumerate([(torch.ones(1, 2) * k, torch.tensor([k % 2])) for k in range(4)]):
    loss = F.cross_entropy(model(x), y) / accum
    loss.backward()
    if (i + 1) % accum == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        opt.step()
        opt.zero_grad()
print(model.weight, model.bias)
ema = {n: p.detach().clone() for n, p in model.named_parameters()}
with torch.no_grad():
    for n, p in model.named_parameters():
        ema[n].mul_(0.9).add_(p, alpha=0.1)
print(ema["bias"])

import torch
import torch.nn as nn
import copy
import io
a = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(inplace=True), nn.Linear(3, 1))
b = copy.deepcopy(a)
print(list(a.state_dict().keys()))
best = {k: v.clone() for k, v in a.state_dict().items()}
opt = torch.optim.AdamW(a.parameters(), lr=0.01, weight_decay=0.1)
a(torch.ones(4, 2)).sum().backward()
opt.step()
print(all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters())))
a.load_state_dict(best)
print(all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters())))
for name, p in a.named_parameters():
    print(name, tuple(p.shape), p.requires_grad)
print(sum(p.numel() for p in a.parameters() if p.requires_grad))
file = io.BytesIO()
torch.save(a.state_dict(), file)
file.seek(0)
b.load_state_dict(torch.load(file, weights_only=True))
print(sorted(opt.state_dict()["state"][0].keys()))

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR
w = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
for make in (lambda o: CosineAnnealingLR(o, T_max=5), lambda o: StepLR(o, step_size=2, gamma=0.5)):
    opt = torch.optim.SGD([w], lr=0.1)
    sched = make(opt)
    for e in range(4):
        opt.zero_grad()
        (w ** 2).sum().backward()
        opt.step()
        sched.step()
        print(e, round(opt.param_groups[0]["lr"], 6), [round(v, 5) for v in w.tolist()])

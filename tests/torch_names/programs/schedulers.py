import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, ReduceLROnPlateau
w = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
for make in (lambda o: CosineAnnealingLR(o, T_max=5), lambda o: LambdaLR(o, lr_lambda=lambda e: 0.9 ** e)):
    opt = torch.optim.SGD([w], lr=0.1)
    sched = make(opt)
    for e in range(4):
        opt.zero_grad()
        (w ** 2).sum().backward()
        opt.step()
        sched.step()
        print(e, round(opt.param_groups[0]["lr"], 6), [round(v, 5) for v in w.tolist()])
plateau = ReduceLROnPlateau(torch.optim.SGD([w], lr=0.1), factor=0.1, patience=0)
for loss in (1.0, 1.0, 1.0):
    plateau.step(loss)
    print(plateau.optimizer.param_groups[0]["lr"])

import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
for i in range(3):
    loss = ((w * 2 - 1) ** 2).mean()
    loss.backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()
    print(loss.item(), w)

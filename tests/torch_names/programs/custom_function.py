import torch

class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input

N, D_in, H, D_out = 4, 5, 3, 2
x = torch.arange(N * D_in).float().view(N, D_in).sin()
y = torch.arange(N * D_out).float().view(N, D_out).cos()
w1 = torch.linspace(-1, 1, D_in * H).view(D_in, H).requires_grad_()
w2 = torch.linspace(-1, 1, H * D_out).view(H, D_out).requires_grad_()
for t in range(5):
    relu = MyReLU.apply
    y_pred = relu(x.mm(w1)).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    print(t, round(loss.item(), 3))
    loss.backward()
    with torch.no_grad():
        w1 -= 1e-2 * w1.grad
        w2 -= 1e-2 * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
print(y_pred.grad_fn)

import inplacelab as paddle
from inplacelab import autograd

a = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
with autograd.copy_saved_before_write() as kept:
    b = a * 2.
    y = b * b
    b[0].zero_()
y.sum().backward()
print(a.grad.tolist(), kept.copies, kept.nbytes)

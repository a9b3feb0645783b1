import inplacelab as paddle

a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
b = a * 2.
v = b[0]
v.scale_(3.)
b.sum().backward()
print(a.grad.tolist())

import inplacelab as paddle

a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
b = a * 2.
row = b[0]
column = b[:, 0]
column.zero_()
row.sum().backward()
print(a.grad.tolist())

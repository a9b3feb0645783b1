import inplacelab as paddle

a = paddle.to_tensor([1., 2.])
b = a
b += 1.
print(a.tolist(), b.tolist(), b is a)

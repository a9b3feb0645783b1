import inplacelab as paddle

m = paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])
t = m.t()
row = t[1]
row.scale_(10.)
print(m.tolist(), m.inplace_version)

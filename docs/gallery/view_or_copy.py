import inplacelab as paddle

m = paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])
a = m.reshape([6])
b = m.t().reshape([6])
m.zero_()
print(a.tolist())
print(b.tolist())

import inplacelab as paddle

m = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
t = m.t()
row = t[1]
row.scale_(10.0)

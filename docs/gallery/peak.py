import inplacelab as paddle

x = paddle.ones([256, 256])
y = x.exp()
z = x.exp_()
print(z is x, y is x)

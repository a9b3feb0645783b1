import inplacelab as paddle

x = paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])
v = x[0]
x.transpose_([1, 0])
x.unsqueeze_(0)
print(x.shape, x.strides, x.inplace_version, v.tolist())

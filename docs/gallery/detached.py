import inplacelab as paddle

x = paddle.to_tensor([1., 2.], stop_gradient=False)
h = x * 3.
d = h.detach()
d.zero_()
print(h.tolist(), h.inplace_version)

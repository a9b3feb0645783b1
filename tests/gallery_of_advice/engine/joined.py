"""The same rules for this package's engine: operands that are read, leaves, expanded tensors, parts of a tensor."""

import inplacelab as paddle

paddle.seed(0)
x, w = paddle.randn([3, 4]), paddle.randn([4, 4])
w.stop_gradient = False
h = x @ w
y = h * h  # multiply: read
g = w.tanh()  # tanh: leaf
wide = paddle.randn([3, 1]).expand([3, 4]) + y  # add: may
h = x @ w
h = paddle.concat([h[:, :1] * 2, h[:, 1:]], 1)  # concat: may; scale: may
h = h.astype("float64")  # cast: dtype
(h.sum() + wide.sum().astype("float64") + g.sum().astype("float64")).backward()  # add: may; add: may; cast: dtype

"""PaddlePaddle: its methods take no numbers, so that sums and products with them go through `scale_`; a quotient would have other last bits."""

import paddle
import paddle.nn.functional as F

paddle.seed(0)
x, w = paddle.randn([3, 4]), paddle.randn([4, 4])
w.stop_gradient = False
h = x @ w
h = h + 1  # add: may
h = F.relu(h)  # relu: may
h = h * 2  # multiply: kept
h = h / 3  # divide: no form
h = F.softmax(h)  # softmax: may
h = paddle.exp(h)  # exp: kept
h = x - h  # subtract: kept
h = F.leaky_relu(h)  # leaky_relu: copy
h.sum().backward()
print(x)

"""A codebook that follows the features as a moving average: it is moved before the loss has gone back through it."""

import paddle
from paddle import nn


class Quantizer(nn.Layer):
    def __init__(self, codes, width):
        super().__init__()
        self.register_buffer("codebook", paddle.randn([codes, width]))

    def forward(self, z):
        weights = nn.functional.softmax(z @ self.codebook.t())
        return weights @ self.codebook, weights.detach()  # kept

    def follow(self, z, weights, rate=0.1):
        means = (weights.t() @ z.detach()) / weights.sum(axis=0).unsqueeze(1)
        self.codebook.lerp_(means, paddle.to_tensor(rate))  # overwritten


paddle.seed(0)
encoder, quantizer = nn.Linear(5, 3), Quantizer(4, 3)
optimizer = paddle.optimizer.SGD(0.1, parameters=encoder.parameters())
for _epoch in range(2):
    z = encoder(paddle.randn([6, 5]))
    quantized, weights = quantizer(z)
    quantizer.follow(z, weights)  # fix:
    loss = nn.functional.mse_loss(quantized, z)
    loss.backward()  # fails  # fix: loss.backward(); quantizer.follow(z, weights)
    optimizer.step()
    optimizer.clear_grad()

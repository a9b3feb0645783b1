"""The sampling step of a VAE: the noise is multiplied into the standard deviation, which exp has kept."""

import paddle
from paddle import nn


def sample(mu, log_var):
    std = paddle.exp(0.5 * log_var)  # kept
    std.multiply_(paddle.randn(std.shape))  # overwritten  # fix: std = std * paddle.randn(std.shape)
    return mu + std


paddle.seed(0)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
x = paddle.randn([5, 6])
mu, log_var = paddle.chunk(encoder(x), 2, axis=-1)
loss = nn.functional.mse_loss(decoder(sample(mu, log_var)), x)
loss.backward()  # fails

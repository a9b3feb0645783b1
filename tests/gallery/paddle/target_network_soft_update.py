"""A target network is updated in place, under `no_grad`, before the loss that went through it has gone back."""

import paddle
from paddle import nn

paddle.seed(0)
actor, critic, target_critic = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)


@paddle.no_grad()
def soft_update(target, source, tau=0.05):
    for old, new in zip(target.parameters(), source.parameters(), strict=True):
        old.scale_(1 - tau)  # overwritten
        old.add_(tau * new)  # overwritten


actor_loss = -target_critic(paddle.tanh(actor(paddle.randn([5, 3])))).mean()  # kept
soft_update(target_critic, critic)  # fix:
actor_loss.backward()  # fails  # fix: actor_loss.backward(); soft_update(target_critic, critic)

"""A differentiable simulation that advances its state in place, step by step.

The sine keeps the angle; both assignments are copies into elements of one tensor, so each counts as a change of the angle.
"""

import torch

dt = 0.1
start = torch.tensor([1.0, 0.0], requires_grad=True)
stiffness = torch.tensor(9.8, requires_grad=True)

state = start.clone()
for _ in range(5):
    state[1] -= dt * stiffness * torch.sin(state[0])  # kept  # overwritten  # fix: speed = state[1] - dt * stiffness * torch.sin(state[0])
    state[0] += dt * state[1]  # overwritten  # fix: state = torch.stack([state[0] + dt * speed, speed])

loss = (state[0] - 0.5) ** 2
loss.backward()  # fails

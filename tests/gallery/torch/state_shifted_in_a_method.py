"""An object hands out its state, and a method of it advances the state in place.

The power keeps the state.
"""

import torch


class Oscillator:
    def __init__(self, state):
        self.state = state

    def advance(self):
        self.state += 0.1  # overwritten  # fix: self.state = self.state + 0.1


start = torch.ones(3, requires_grad=True)
oscillator = Oscillator(start * 2)
energy = oscillator.state**3  # kept
oscillator.advance()
(energy + oscillator.state).sum().backward()  # fails

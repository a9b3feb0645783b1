"""Agents of stable_baselines3, which learn to walk to the origin of a line, and transformers' decision transformer."""

from __future__ import annotations

from tests.zoo.entry import Entry

_WORLD = """
import gymnasium
from stable_baselines3 import {name}


class Line(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-4.0, 4.0, (2,))
    action_space = {actions}

    def reset(self, *, seed=None, options=None):
        self.at, self.steps = numpy.array([2.0, 1.0], numpy.float32), 0
        return self.at, {{}}

    def step(self, action):
        self.steps += 1
        self.at = (self.at + {move}).clip(-4, 4).astype(numpy.float32)
        return self.at, -float(abs(self.at[0])), False, self.steps == 8, {{}}


agent = {name}("MlpPolicy", Line(), seed=0, policy_kwargs=dict(net_arch=[16]{policy}), device="cpu"{options})
for step in range(2):
    clock.append(time.process_time())
    agent.learn(8, reset_num_timesteps=not step)
clock.append(time.process_time())
model = agent.policy
"""
_CHOICES = {"actions": "gymnasium.spaces.Discrete(3)", "move": "(int(action) - 1)"}
_NUMBERS = {"actions": "gymnasium.spaces.Box(-1.0, 1.0, (1,))", "move": "float(action[0])"}
_REPLAYED = ", learning_starts=4, batch_size=4, buffer_size=32"

ENTRIES = [
    *(
        Entry(
            f"stable_baselines3 {name}", "stable_baselines3", "reinforcement",
            program=_WORLD.format(name=name, options=options, policy=policy, **world),
        )
        for name, world, options, policy in (
            ("A2C", _CHOICES, ", n_steps=4", ""),
            ("PPO", _CHOICES, ", n_steps=8, batch_size=4, n_epochs=2", ""),
            ("DQN", _CHOICES, _REPLAYED + ", target_update_interval=2, train_freq=4", ""),
            ("DDPG", _NUMBERS, _REPLAYED, ", optimizer_kwargs=dict(foreach=True)"),
            ("SAC", _NUMBERS, _REPLAYED + ", train_freq=2", ""),
            ("TD3", _NUMBERS, _REPLAYED + ", train_freq=2", ""),
        )
    ),
    Entry(
        "transformers DecisionTransformer", "transformers", "reinforcement",
        """import tests.zoo.torchvision_operators  # where torchvision's own cannot be loaded
from transformers import DecisionTransformerConfig, DecisionTransformerModel
model = DecisionTransformerModel(DecisionTransformerConfig(
    state_dim=4, act_dim=2, hidden_size=32, max_ep_len=16, n_layer=2, n_head=2, n_positions=64, vocab_size=1))
states, actions, returns = torch.randn(2, 6, 4), torch.randn(2, 6, 2), torch.rand(2, 6, 1)
times, mask = torch.arange(6).expand(2, 6), torch.ones(2, 6)""",
        "F.mse_loss(model(states, actions, None, returns, times, mask).action_preds, actions)",
    ),
]  # fmt: skip

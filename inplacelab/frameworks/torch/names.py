"""Tells which objects of a PyTorch program lead to tensors that have names: modules, with those inside them, and optimizers."""

from __future__ import annotations

import torch

from inplacelab.recorders.names_and_lines import Watched, parts_of

WATCHED = Watched(torch.Tensor, (torch.nn.Module, torch.optim.Optimizer), (), parts_of(torch.nn.Module))

"""A sequence loss that sets the log-probabilities of padding to zero in place.

log_softmax keeps its result for backward.
"""

import torch
from torch import nn


def sequence_loss(logits, targets, padding):
    log_probs = logits.log_softmax(dim=-1)  # kept
    log_probs.masked_fill_(padding.unsqueeze(-1), 0.0)  # overwritten  # fix: log_probs = log_probs.masked_fill(padding.unsqueeze(-1), 0.0)
    picked = log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return -picked.sum() / (~padding).sum()


torch.manual_seed(0)
embedding, output = nn.Embedding(10, 8, padding_idx=0), nn.Linear(8, 10)
tokens = torch.tensor([[1, 4, 7, 2], [3, 5, 0, 0]])
logits = output(embedding(tokens))
loss = sequence_loss(logits, tokens.roll(-1, dims=1), tokens == 0)
loss.backward()  # fails

"""The forward algorithm of a hidden Markov model, with its table of probabilities filled row by row.

Each row is computed from the row before, which the matrix product keeps; writing the next row changes the table.
"""

import torch

torch.manual_seed(0)
transition_logits = torch.randn(3, 3, requires_grad=True)
emission_logits = torch.randn(3, 4, requires_grad=True)
observed = [0, 2, 1, 3]

transition, emission = transition_logits.softmax(dim=1), emission_logits.softmax(dim=1)
alpha = torch.zeros(len(observed), 3)  # fix: alpha = []
alpha[0] = emission[:, observed[0]] / 3  # fix: alpha.append(emission[:, observed[0]] / 3)
for t in range(1, len(observed)):
    alpha[t] = (alpha[t - 1] @ transition) * emission[:, observed[t]]  # kept  # overwritten  # fix: alpha.append((alpha[t - 1] @ transition) * emission[:, observed[t]])

nll = -alpha[-1].sum().log()
nll.backward()  # fails

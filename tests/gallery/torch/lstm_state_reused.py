"""An LSTM language model that carries its state from one batch to the next, with `retain_graph=True` to silence the first error.

The second backward goes through the first batch's graph again, whose weights the optimizer has changed since.
The fix changes what is computed.
"""

import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(5, 8, batch_first=True), nn.Linear(8, 5)
optimizer = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.1)
batches = torch.randn(3, 2, 4, 5)

state = None
for batch in batches:
    optimizer.zero_grad()
    out, state = lstm(batch, state)  # kept
    loss = nn.functional.mse_loss(head(out), batch)
    loss.backward(retain_graph=True)  # fails  # fix: loss.backward()
    optimizer.step()  # overwritten  # fix: optimizer.step(); state = tuple(each.detach() for each in state)

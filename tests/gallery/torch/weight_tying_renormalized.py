"""A language model whose output layer shares the embedding's weight, which is brought to unit length before every look-up.

The output layer has kept that weight for the sentence before. The rows have unit length already, so once would be enough.
"""

import torch
from torch import nn

torch.manual_seed(0)


class TiedModel(nn.Module):
    def __init__(self, words=7, width=4):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.output = nn.Linear(width, words, bias=False)
        self.output.weight = self.embedding.weight

    def forward(self, tokens):
        with torch.no_grad():  # fix:
            self.embedding.weight.div_(self.embedding.weight.norm(dim=1, keepdim=True))  # overwritten  # fix:
        return self.output(self.embedding(tokens).mean(dim=1))  # kept


model = TiedModel()
with torch.no_grad():
    model.embedding.weight /= model.embedding.weight.norm(dim=1, keepdim=True)
sentences = torch.randint(7, (2, 3, 5))
loss = sum(nn.functional.cross_entropy(model(each), each[:, -1]) for each in sentences)
loss.backward()  # fails

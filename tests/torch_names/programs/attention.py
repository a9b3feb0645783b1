import torch
import torch.nn as nn
import math
torch.set_printoptions(precision=3)
def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(dim=-1) @ v
B, T, C = 2, 3, 4
x = torch.arange(B * T * C, dtype=torch.float32).view(B, T, C).sin()
qkv = nn.Linear(C, 3 * C, bias=False)
nn.init.constant_(qkv.weight, 0.1)
q, k, v = qkv(x).chunk(3, dim=-1)
mask = torch.tril(torch.ones(T, T))
out = attention(q, k, v, mask)
print(out)
norm = nn.LayerNorm(C)
emb = nn.Embedding(5, C)
nn.init.ones_(emb.weight)
y = norm(out + emb(torch.tensor([[0, 1, 2], [2, 3, 4]])))
y.sum().backward()
print(qkv.weight.grad.shape, emb.weight.grad.sum(), y.std(unbiased=False))
torch.set_printoptions(profile="default")

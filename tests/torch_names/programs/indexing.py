import torch
x = torch.arange(12).reshape(3, 4)
print(x[1], x[:, 1], x[1, 2].item(), x[..., -1], x[[0, 2]], x[x > 5], x[:, None].shape, x[-1, ::2])
mask = x % 2 == 0
x[mask] = 0
x[0, 1:3] = torch.tensor([7, 8])
x[:, -1] += 100
print(x)
idx = torch.tensor([2, 0])
print(x[idx, idx], torch.gather(x, 1, torch.tensor([[0], [1], [2]])), x.masked_fill(mask, -1))
print(torch.where(x > 10, x, torch.zeros_like(x)), x.nonzero().shape, torch.nonzero(x > 50, as_tuple=True))
print(torch.einsum("ij,kj->ik", x.float(), x.float()))
print(x.float().mean(dim=1, keepdim=True), x.sum().item(), x.max(dim=1), torch.topk(x.float(), 2))
print(x.T.is_contiguous(), x.stride(), x.t().contiguous().stride(), x.view(-1)[:3], x.unsqueeze(0).size())
print(torch.cat([x, x]).shape, torch.stack([x, x], dim=-1).shape, torch.split(x, 2), torch.chunk(x, 2, dim=1)[0].shape)

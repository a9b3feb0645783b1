import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(2, 3, device=device)
m = torch.nn.Linear(3, 1).to(device)
print(device, m(x).shape, x.device, x.dtype, x.is_cuda)
y = torch.zeros(2, dtype=torch.long).to(device)
print(y, torch.tensor(3.5), torch.tensor([1, 2.5]), torch.tensor([True]), x.cpu().device)

import torch
from torch.utils.data import DataLoader, TensorDataset, Dataset
class Squares(Dataset):
    def __len__(self):
        return 5
    def __getitem__(self, i):
        return torch.tensor([float(i)]), i * i
for x, y in DataLoader(Squares(), batch_size=2):
    print(x.tolist(), y)
ds = TensorDataset(torch.arange(6).float().view(6, 1), torch.arange(6))
for xb, yb in DataLoader(ds, batch_size=4, shuffle=False):
    print(xb.shape, yb)

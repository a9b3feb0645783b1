import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.0)
        self.fc1 = nn.Linear(8 * 3 * 3, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = F.relu(self.conv2(x))
        x = x.view(x.size(0), -1)
        x = self.drop(F.relu(self.fc1(x)))
        return self.fc2(x)

net = Net()
for k, p in enumerate(net.parameters()):
    with torch.no_grad():
        p.copy_(torch.arange(p.numel()).reshape(p.shape).float().sin() * 0.3)
print(net)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
x = torch.arange(4 * 100).reshape(4, 1, 10, 10).float().cos()
y = torch.tensor([1, 3, 5, 7])
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    opt.zero_grad()
    out = net(x)
    loss = criterion(out, y)
    loss.backward()
    opt.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}, acc {(out.argmax(1) == y).float().mean():.2f}")
print(out.shape, net.bn1.num_batches_tracked)

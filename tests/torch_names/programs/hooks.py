import torch
import torch.nn as nn
activation = {}
def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()
    return hook
model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.5)
model[0].register_forward_hook(get_activation("fc1"))
grads = []
handle = model[2].register_full_backward_hook(lambda m, gi, go: grads.append((gi[0].shape, go[0].tolist())))
out = model(torch.ones(2, 3))
out.sum().backward()
print(activation["fc1"], grads)
handle.remove()
v = torch.tensor([0., 0., 0.], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1., 2., 3.]))
print(v.grad)

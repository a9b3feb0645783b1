"""Records programs that use PyTorch.

recorder.py     `TorchRecorder`: looks at the tensors of each call, before and after it
overrides.py    the mode that has PyTorch's functions call the recorder        patch.py    takes the place of one function
swaps.py        tensors that become each other
calls.py        what a call is: its name, its tensors, the slots that it writes and reads
compiled.py     which statements call compiled functions
|
passes.py       backward passes                 pass_order.py   in which order a pass runs its nodes, and what its errors say
|
objects.py      tensors          storages.py    storages and version counters          nodes.py    grad nodes
known.py        their states at the last event
watch.py        explains failed passes without recording          stale_values.py   which saved values they found overwritten
trial.py        runs a program for a trial of a fix
readings.py     how PyTorch's objects are read          names.py    modules and optimizers, which lead to tensors with names
"""

from inplacelab.supported import Framework, Terms

FRAMEWORK = Framework(
    name="torch",
    title="PyTorch",
    rank=30,
    imports=("torch", "functorch", "torchgen"),
    alias="torch",
    requires="torch",
    tested="2.13",
    terms=Terms(flag="requires_grad"),
    recorder="inplacelab.frameworks.torch.recorder:TorchRecorder",
    trial="inplacelab.frameworks.torch.trial:run",
    watch="inplacelab.frameworks.torch.watch:TorchWatch",
    copying="with torch.autograd.graph.saved_tensors_hooks(lambda saved: saved.clone(), lambda saved: saved):",
)

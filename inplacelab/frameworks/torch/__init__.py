"""Records programs that use PyTorch.

recorder.py       `TorchRecorder`: a recorder of calls (`recorders/call_recorder.py`)
interception.py   how PyTorch's functions come to call it: a mode, and patches for what PyTorch calls no mode for
calls.py          what a call is: its name, its tensors, the slots that it writes and reads
objects.py        tensors          storages.py   storages and version counters          nodes.py    grad nodes
passes.py         backward passes: in which order they run their nodes, and what their errors say
on_engine.py      makes its calls on this package's engine, to compare gradients
readings.py       how PyTorch's objects are read
watch.py          explains failed passes without recording          stale_values.py   which saved values they found overwritten
aliases.py        what is read under one name after a write under another          refusals.py  what PyTorch refuses at once
in_place.py       how its operations are written in place
trial.py          runs a program for a trial of a fix
"""

from inplacelab.frameworks.torch.in_place import IN_PLACE
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
    on_engine="inplacelab.frameworks.torch.on_engine",
    trial="inplacelab.frameworks.torch.trial:run",
    watch="inplacelab.frameworks.torch.watch:TorchWatch",
    takes_inputs=True,
    in_place=IN_PLACE,
    copying="with torch.autograd.graph.saved_tensors_hooks(lambda saved: saved.clone(), lambda saved: saved):",
)

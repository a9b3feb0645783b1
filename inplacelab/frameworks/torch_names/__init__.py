"""Records programs that use the engine under PyTorch's names: `import inplacelab.torch as torch`."""

from inplacelab.frameworks.torch_names.in_place import IN_PLACE
from inplacelab.supported import Framework, Terms

FRAMEWORK = Framework(
    name="inplacelab.torch",
    title="",
    rank=10,
    imports=("inplacelab.torch",),
    alias="torch",
    terms=Terms(flag="requires_grad"),
    recorder="inplacelab.frameworks.torch_names.recorder:TorchNamesRecorder",
    trial="inplacelab.frameworks.engine.trial:run_torch_names",
    copying="with inplacelab.autograd.copy_saved_before_write():",
    replays=True,
    in_place=IN_PLACE,
)

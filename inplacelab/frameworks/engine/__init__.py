"""Records programs that use this package's engine, which reports to an observer.

recorder.py     `EngineRecorder`: the observer
objects.py      tensors, storages and grad nodes, and plain data of what the engine reports
in_place.py     how its operations are written in place
trial.py        runs a program for a trial of a fix
"""

from inplacelab.frameworks.engine.in_place import IN_PLACE
from inplacelab.supported import Framework

FRAMEWORK = Framework(
    name="inplacelab",
    title="",
    rank=20,
    imports=("inplacelab", "inplacelab_widgets"),
    alias="paddle",
    recorder="inplacelab.frameworks.engine.recorder:EngineRecorder",
    trial="inplacelab.frameworks.engine.trial:run",
    replays=True,
    in_place=IN_PLACE,
    copying="with paddle.autograd.copy_saved_before_write():",
)

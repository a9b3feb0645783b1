"""Records programs that use this package's engine, which reports to an observer.

recorder.py     `EngineRecorder`: the observer          trial.py        runs a program for a trial of a fix
objects.py      tensors, storages and grad nodes        names.py        layers and optimizers, which lead to tensors with names
readings.py     plain data of what the engine reports
"""

from inplacelab.supported import Framework

FRAMEWORK = Framework(
    name="inplacelab",
    title="",
    rank=20,
    imports=("inplacelab", "inplacelab_widgets"),
    recorder="inplacelab.frameworks.engine.recorder:EngineRecorder",
    trial="inplacelab.frameworks.engine.trial:run",
    copying="with paddle.autograd.copy_saved_before_write():",
    replayed=True,
)

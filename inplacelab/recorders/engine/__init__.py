"""Records programs that use this package's engine, which reports to an observer.

recorder.py     `EngineRecorder`: the observer          torch_words.py  the same, in PyTorch's words
objects.py      tensors, storages and grad nodes        names.py        layers and optimizers, which lead to tensors with names
readings.py     plain data of what the engine reports
"""

from inplacelab.recorders.engine.names import WATCHED
from inplacelab.recorders.engine.recorder import EngineRecorder

__all__ = ["WATCHED", "EngineRecorder"]

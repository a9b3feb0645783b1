"""One folder for each framework whose programs can be recorded and explained. To add a framework, add a folder.

The `__init__.py` of a folder makes its `FRAMEWORK` (see `inplacelab/supported.py`), and imports nothing of the framework itself: that is
imported when a program uses it.

    engine/        this package's engine                torch_names/   the same under PyTorch's names
    torch/         PyTorch                              paddle/        PaddlePaddle
    numpy/         programs that use NumPy alone

    */recorder.py  the recorder: emits events           */trial.py     runs a program for a trial of a fix
    */watch.py     watches programs with less than a recorder
"""

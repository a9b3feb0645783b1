"""Records programs that use PaddlePaddle.

recorder.py     `PaddleRecorder`: looks at the tensors of each call, before and after it
watch.py        has Paddle's functions call the recorder
calls.py        what a call is: its name, its tensors, the slots that it writes and reads
|
passes.py       backward passes                 pass_order.py   in which order a pass runs its nodes, and what its errors say
|
objects.py      tensors, storages and version counters          nodes.py    grad nodes          saved.py    what they have saved
known.py        their states at the last event
trial.py        runs a program for a trial of a fix
readings.py     how Paddle's objects are read           names.py    layers and optimizers, which lead to tensors with names
"""

from inplacelab.supported import Framework, Terms

FRAMEWORK = Framework(
    name="paddle",
    title="PaddlePaddle",
    rank=40,
    imports=("paddle",),
    requires="paddlepaddle",
    terms=Terms(shows_saved=False),
    recorder="inplacelab.frameworks.paddle.recorder:PaddleRecorder",
    trial="inplacelab.frameworks.paddle.trial:run",
    # No `copying`: Paddle's `saved_tensors_hooks` gives wrong gradients with clones of views (3.3.1).
    loses_history=True,
    keeps_last=True,
)

"""Records programs that use PaddlePaddle.

recorder.py       `PaddleRecorder`: a recorder of calls (`recorders/call_recorder.py`)
interception.py   has Paddle's functions call it
calls.py          what a call is: its name, its tensors, the slots that it writes and reads
objects.py        tensors, storages and version counters          nodes.py    grad nodes, and what they have saved
on_engine.py      makes its calls on this package's engine, to compare gradients
passes.py         backward passes: in which order they run their nodes, and what their errors say
in_place.py       how its operations are written in place
readings.py       how Paddle's objects are read
right_forms.py    other ways to write operations to which Paddle gives wrong gradients
trial.py          runs a program for a trial of a fix
"""

from inplacelab.frameworks.paddle.in_place import IN_PLACE
from inplacelab.supported import Defects, Framework, Terms

FRAMEWORK = Framework(
    name="paddle",
    title="PaddlePaddle",
    rank=40,
    imports=("paddle",),
    alias="paddle",
    requires="paddlepaddle",
    tested="3.3",
    terms=Terms(shows_saved=False),
    recorder="inplacelab.frameworks.paddle.recorder:PaddleRecorder",
    on_engine="inplacelab.frameworks.paddle.on_engine",
    trial="inplacelab.frameworks.paddle.trial:run",
    right_forms="inplacelab.frameworks.paddle.right_forms:RIGHT_FORMS",
    # No `copying`: Paddle's `saved_tensors_hooks` gives wrong gradients with clones of views (3.3.1).
    keeps_last=True,
    loses_history=True,
    in_place=IN_PLACE,
    defects=Defects(
        windows=frozenset({"TensorUnfoldGradNode"}),
        offsets=frozenset({"AsStridedGradNode"}),
        weights=frozenset({"LayerNormGradNode"}),
    ),
)

"""A cell that runs again in a real kernel closes its old widgets and frees their recordings, and touches those of no other cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

manager = pytest.importorskip("jupyter_client.manager", reason="needs a kernel: python -m pip install -e '.[lab]'")
pytest.importorskip("ipykernel", reason="needs a kernel: python -m pip install -e '.[lab]'")
pytest.importorskip("inplacelab_widgets.stepper", reason="needs the widgets: python -m pip install -e '.[lab]'")

SECONDS = 120
Run = Callable[..., str]
STEPPER = "%%stepper\nx = paddle.ones([2])\nx.scale_(2.)\n"
COUNT = """
import gc
from inplacelab.recording import Recording
from inplacelab_widgets import Stepper
from ipywidgets.widgets import widget
gc.collect()
print(sum(isinstance(each, Stepper) for each in widget._instances.values()), len(widget._instances), end=' ')
print(sum(type(each) is Recording for each in gc.get_objects()))
"""


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs a cell in a new kernel as a notebook does, with its id, and returns what it prints."""
    made, client = manager.start_new_kernel(startup_timeout=SECONDS)

    def run(text: str, cell: str | None) -> str:
        content = {"code": text, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = client.session.msg("execute_request", content, metadata={} if cell is None else {"cellId": cell})
        client.shell_channel.send(message)
        printed, until = "", time.monotonic() + SECONDS
        while time.monotonic() < until:
            said: dict[str, Any] = client.get_iopub_msg(timeout=SECONDS)
            if said["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            if said["msg_type"] == "stream":
                printed += said["content"]["text"]
            assert said["msg_type"] != "error", "\n".join(said["content"]["traceback"])
            if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                return printed
        raise TimeoutError

    try:
        run("%load_ext inplacelab\nimport inplacelab as paddle", "start")
        yield run
    finally:
        client.stop_channels()
        made.shutdown_kernel(now=True)


def counted(run: Run) -> list[int]:
    """How many steppers, widgets and recordings there are."""
    return [int(each) for each in run(COUNT, "count").split()]


def test_a_cell_that_runs_again_keeps_only_its_last_stepper(run: Run) -> None:
    run(STEPPER, "one")
    once = counted(run)
    for _ in range(12):
        run(STEPPER, "one")
    assert counted(run) == once
    run(STEPPER, "two")  # the same program in another cell
    run(STEPPER, "one")
    assert counted(run)[0] == 2
    run("x = 1", "two")  # the magic was deleted
    assert counted(run)[0] == 1


def test_a_recording_with_a_name_is_kept_and_one_cell_may_show_several(run: Run) -> None:
    run(STEPPER.replace("stepper", "stepper --name first"), "one")
    kept = "kept = first\nfor k in range(3):\n    get_ipython().run_cell_magic('stepper', '', 'y = paddle.ones([1])')"
    run(kept, "many")
    assert counted(run)[0] == 4
    run(STEPPER.replace("stepper", "stepper --name first"), "one")
    assert run("print(len(kept), kept is first)", "look") == "2 False\n"
    run(kept, "many")
    assert counted(run)[0] == 4


def test_a_stepper_of_the_program_is_left_alone_and_a_cell_without_id_is_known_by_its_text(run: Run) -> None:
    mine = "from inplacelab_widgets import Stepper\nmine = Stepper(first)\nmine"
    run(STEPPER.replace("stepper", "stepper --name first"), None)
    run(mine, "mine")
    run("mine", "again")
    run("mine", "again")
    for _ in range(3):
        run(STEPPER, None)
    assert counted(run)[0] == 3
    assert run("print(mine.comm is not None)", "look") == "True\n"

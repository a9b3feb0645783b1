"""Draws the pictures of the documents from recordings of the programs that they show, and the animation.

python docs/draw.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import inplacelab
from inplacelab.cli.script import run_script
from inplacelab.lessons import recorded
from inplacelab.recorders.part import LIMIT
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_gif, to_svg
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.sharing import cards, drawn_from

HERE = Path(__file__).parent
PICTURES = {"en": ("en/step_a_cell.md", "stepper.svg"), "zh": ("zh/step_a_cell.md", "stepper.zh.svg")}
FAILING = "torch-sigmoid"
"""The recording of the PyTorch program that the READMEs open with. It comes with a lesson, so no PyTorch is needed to draw it."""
FAILURES = {"en": "failing.svg", "zh": "failing.zh.svg"}
PROGRAM = HERE / "one_write.py"
ANIMATIONS = {"en": "one_write.gif", "zh": "one_write.zh.gif"}
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recording_of(document: str) -> Recording:
    """Runs the cells of a document up to the first `%%stepper` cell, as a notebook would, and returns its recording."""
    shell = InteractiveShell.instance()
    for cell in CELL.findall((HERE / document).read_text(encoding="utf-8")):
        with capture_output():
            shell.run_cell(cell).raise_error()
        if cell.startswith("%%stepper"):
            shell.reset()  # memory must be empty before the next document
            return inplacelab.last_recording()
    raise SystemExit(f"{document} has no cell that begins with %%stepper")


def is_current(animation: Path, recording: Recording, language: str) -> bool:
    """Whether an animation was drawn from the same pictures. Its pixels depend on the fonts of the machine, so only others are drawn again."""
    noted = drawn_from(cards(scene_of(recording), range(len(recording)), language))
    return animation.exists() and noted.encode() in animation.read_bytes()


def main() -> None:
    """Draws the pictures in each language, and the animation, if it is not the present one."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for language, (document, picture) in PICTURES.items():
        (folder / picture).write_text(to_svg(recording_of(document), language=language), encoding="utf-8")
        print(f"drew {picture}")
    for language, picture in FAILURES.items():
        (folder / picture).write_text(to_svg(recorded(FAILING), language=language), encoding="utf-8")
        print(f"drew {picture}")
    recording, raised = run_script(PROGRAM, (), title=PROGRAM.name, limit=LIMIT)
    assert raised is None
    for language, animation in ANIMATIONS.items():
        if not is_current(HERE / animation, recording, language):
            to_gif(recording, path=folder / animation, language=language)
            print(f"drew {animation}")


if __name__ == "__main__":
    main()

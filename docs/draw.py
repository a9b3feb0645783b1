"""Draws the pictures of the READMEs from recordings of the programs that they show, and the animation that opens them.

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
from inplacelab.recorders.run import LIMIT
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_gif, to_svg
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.card import cards
from inplacelab_widgets.sharing import drawn_from

HERE = Path(__file__).parent
PICTURES = {"en": ("README.md", "stepper.svg"), "zh": ("README.zh.md", "stepper.zh.svg")}
PROGRAM = HERE / "one_write.py"
ANIMATIONS = {"en": "one_write.gif", "zh": "one_write.zh.gif"}
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recording_of(readme: str) -> Recording:
    """Runs the cells of a README up to the first `%%stepper` cell, as a notebook would, and returns its recording."""
    shell = InteractiveShell.instance()
    for cell in CELL.findall((HERE.parent / readme).read_text(encoding="utf-8")):
        with capture_output():
            shell.run_cell(cell).raise_error()
        if cell.startswith("%%stepper"):
            shell.reset()  # memory must be empty before the next README
            return inplacelab.last_recording()
    raise SystemExit(f"{readme} has no cell that begins with %%stepper")


def is_current(animation: Path, recording: Recording, language: str) -> bool:
    """Whether an animation was drawn from the same pictures. Its pixels depend on the fonts of the machine, so only others are drawn again."""
    noted = drawn_from(cards(scene_of(recording), range(len(recording)), language))
    return animation.exists() and noted.encode() in animation.read_bytes()


def main() -> None:
    """Draws for each language one picture, the program after its last in-place line, and the animation, if it is not the present one."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for language, (readme, picture) in PICTURES.items():
        recording = recording_of(readme)
        drawn = to_svg(recording, language=language)
        (folder / picture).write_text(drawn, encoding="utf-8")
        print(f"drew {picture}")
    recording, raised = run_script(PROGRAM, (), title=PROGRAM.name, limit=LIMIT)
    assert raised is None
    for language, animation in ANIMATIONS.items():
        if not is_current(HERE / animation, recording, language):
            to_gif(recording, path=folder / animation, language=language)
            print(f"drew {animation}")


if __name__ == "__main__":
    main()

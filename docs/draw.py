"""Draws the pictures of the READMEs from a recording of the program that they show.

python docs/draw.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import inplacelab
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_svg
from inplacelab_widgets.scene import key_step

HERE = Path(__file__).parent
PICTURES = {"en": ("README.md", "stepper.svg"), "zh": ("README.zh.md", "stepper.zh.svg")}
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recording_of(readme: str) -> Recording:
    """Runs the cells of `readme`, up to the first with `%%stepper`, as a notebook would; returns its recording."""
    shell = InteractiveShell.instance()
    for cell in CELL.findall((HERE.parent / readme).read_text(encoding="utf-8")):
        with capture_output():
            shell.run_cell(cell).raise_error()
        if cell.startswith("%%stepper"):
            shell.reset()  # the next README begins with nothing in memory
            return inplacelab.last_recording()
    raise SystemExit(f"{readme} has no cell that begins with %%stepper")


def main() -> None:
    """Draws one picture for each language: the program after its last in-place line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for language, (readme, picture) in PICTURES.items():
        recording = recording_of(readme)
        drawn = to_svg(recording, key_step(recording), language)
        (folder / picture).write_text(drawn, encoding="utf-8")
        print(f"drew {picture}")


if __name__ == "__main__":
    main()

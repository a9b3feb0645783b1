"""What the command line and the packages say where little is installed: the version, and what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inplacelab.cli import main
from inplacelab.installing import command, requirement
from inplacelab.version import __version__


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"inplacelab {__version__}\n"


@pytest.mark.parametrize("name", ["Stepper", "MemoryView", "ListView"])
def test_a_widget_says_what_to_install(name: str) -> None:
    without = "import sys\nfor each in ('IPython', 'anywidget', 'ipywidgets', 'traitlets'): sys.modules[each] = None\n"
    program = f"{without}from inplacelab_widgets import to_text\nfrom inplacelab_widgets import {name}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"ImportError: `{name}` is a widget for notebooks" in done.stderr
    assert command(requirement("lab")) in done.stderr

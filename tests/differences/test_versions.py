"""The table of the versions of PaddlePaddle: its lines are run in inplacelab and in the version that is installed."""

from __future__ import annotations

import pytest

import inplacelab
from differences.versions import LINES, VERSIONS, Line, answer, table
from inplacelab.language import speak
from tests.subtests import for_each

each_line = for_each("line", LINES, ids=lambda line: line.code)


@each_line
def test_a_line_has_an_answer_for_each_version(line: Line) -> None:
    assert len(line.answers) == len(VERSIONS)


@each_line
def test_inplacelab_gives_what_the_last_version_gives(line: Line) -> None:
    assert answer(line.code, inplacelab) == line.answers[-1]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@each_line
def test_the_installed_version_answers_as_its_column_says(line: Line) -> None:
    paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    if paddle.__version__ not in VERSIONS:
        pytest.skip(f"the table has no column for PaddlePaddle {paddle.__version__}")
    assert answer(line.code, paddle) == line.answers[VERSIONS.index(paddle.__version__)]


def test_the_table_shows_every_answer() -> None:
    with speak("en"):
        (written,) = table().tables()
    assert "| code | 2.6.2 | 3.0.0 | 3.1.1 | 3.2.2 | 3.3.1 |" in written
    row = "| `x.requires_grad = True; x.stop_gradient` | `AttributeError` | `True` | `True` | `False` | `False` |"
    assert row in written

"""A call with a keyword that the function does not have: Python's error, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.language import speak


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance(colors="nocolor")
    shell.run_cell("%load_ext inplacelab\nimport inplacelab as paddle\nimport numpy as np")
    yield shell
    shell.reset()
    InteractiveShell.clear_instance()


def shown(shell: InteractiveShell, cell: str) -> str:
    with capture_output() as captured:
        shell.run_cell(cell)
    return captured.stdout


@pytest.mark.parametrize(
    ("cell", "fix"),
    [
        ("x = paddle.ones([2])\nx.sum(axs=0)", "did you mean `axis`?"),
        ("paddle.to_tensor([1.], requires_grad=True)", "`stop_gradient=False`"),
        ("paddle.nn.Linear(2, 3, bias=False)", "`bias_attr`"),
        ("import inplacelab.torch\ninplacelab.torch.tensor([1.], stop_gradient=False)", "`requires_grad=True`"),
        ("paddle.optimizer.SGD(lr=0.1)", "`learning_rate`"),
        ("%%stepper\npaddle.to_tensor([1.], requires_grad=True)", "`stop_gradient=False`"),
        ("x = paddle.ones([2])\nx.zero_(amount=1)", "it has no parameters"),
        ("paddle.full([2], valu_e=1)", "did you mean `fill_value`"),
        ("def double(x):\n    return x.scale(sale=2.)\ndouble(paddle.ones([2]))", "did you mean `scale`"),
    ],
)
def test_the_nearest_or_paddles_word_is_named(shell: InteractiveShell, cell: str, fix: str) -> None:
    said = shown(shell, cell)
    assert ("got an unexpected keyword argument" in said, "\n  Why: there is no parameter" in said) == (True, True)
    assert fix in said.split("\n  Instead: ")[1]


@pytest.mark.parametrize(
    "cell",
    [
        "np.sum([1.], dims=0)",  # another package's function of the same name
        "1 + 'a'",
        "def mine(x): ...\nmine(y=1)",
        "paddle.ones([2], [3], [4], [5], [6])",
        "print(paddle.ones([2]),\n      *None)",
    ],
)
def test_other_errors_are_left_as_they_are(shell: InteractiveShell, cell: str) -> None:
    said = shown(shell, cell)
    assert ("TypeError" in said, "Instead:" in said, "Handler failed" in said) == (True, False, False)


def test_in_chinese_too(shell: InteractiveShell) -> None:
    with speak("zh"):
        said = shown(shell, "paddle.sum(paddle.ones([2]), axs=0)")
    assert "  原因：没有名为 `axs` 的参数。\n  改法：相近的名称有 `axis`。" in said


def test_a_name_that_a_tensor_lacks_is_answered_without_our_own_frames(shell: InteractiveShell) -> None:
    said = shown(shell, "paddle.ones([2]).sclae_(2.)")
    assert ("did you mean `scale_`" in said, "tensor.py" in said) == (True, False)

"""What `explain` says of gradients that Paddle computes wrong, and of those that it computes right: exact texts, JSON and annotations."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inplacelab.cli.failed import seen_in
from inplacelab.cli.script import running
from inplacelab.cli.seen import Seen
from inplacelab.diagnosis.document import Names, to_annotations, to_json
from inplacelab.diagnosis.explain import nothing_found
from inplacelab.diagnosis.findings import Finding, Report, plain
from inplacelab.diagnosis.report import report
from inplacelab.diagnosis.wrong_gradients import elements_of, not_compared, settled, why_ended, wrong_gradients
from inplacelab.language import speak
from inplacelab.place import Place
from inplacelab.recorders.detection import Use
from inplacelab.recorders.judging.judgment import Difference, Gap, Judgment
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.part import Part
from inplacelab.recorders.trial_data import Slope
from inplacelab.recording.facts import FailureFacts, GradientFacts, SiteFacts
from inplacelab.recording.sentences.failures import advice_for
from inplacelab.recording.sentences.gradients import says_wrong
from inplacelab.supported import frameworks
from tests.diagnosis.test_report_document import strict

pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

HEAD = "import paddle\na = paddle.to_tensor([1., 2.], stop_gradient=False)\n"
MASK = HEAD + (
    "m = paddle.zeros([3])\nmask = paddle.to_tensor([True, False, True])\nm[mask] = a[0] * 3\n(m * m).sum().backward()\n"
)
LERP = HEAD + "b = a * 2\nb.lerp_(paddle.ones([2]), a)\n(b * b).sum().backward()\n"
LARGE = (
    "import paddle\na = paddle.arange(12, dtype='float32').reshape([3, 4])\na.stop_gradient = False\n"
    "y = paddle.lerp(a * 2, paddle.ones([3, 4]), a)\n(y * y).sum().backward()\n"
)
FUNCTION = (
    "import paddle\ndef fill(m, value):\n    m.masked_fill_(m > 0, value)\na = paddle.ones([2])\na.stop_gradient = False\n"
    "for i in range(3):\n    m = paddle.ones([3]) * a[0]\n    fill(m, a.sum())\n    (m * m).sum().backward()\n    a.clear_gradient()\n"
)
VIEW = HEAD + "b = a * 2\nrow = b[0]\nrow.scale_(3.)\nloss = b.sum()\nloss.backward()\n"
SAVED = HEAD + "b = a * 2\nc = b * b\nb.set_value(paddle.zeros([2]))\nc.sum().backward()\n"

END = "\n\nThe right values are those of inplacelab's engine, which has run the same operations.\n"
END_ZH = "\n\n正确值来自 inplacelab 的引擎，它运行了同样的操作。\n"
SAID = {
    "mask": (MASK, f"""\
Backward raised no error, but the gradient of `a` is wrong from line 5 on:

  train.py
    5 | m[mask] = a[0] * 3
      | ~~~~~~~~~~~~~~~~~~ wrong from here on: `m[mask] = ...` gives the assigned value the gradient 0; right is 12 (float32)
    6 | (m * m).sum().backward()
      | ^^^^^^^^^^^^^^^^^^^^^^^^ computed here: the gradient of `a` is [0, 0]; right is [36, 0]{END}\
To fix it (not checked):
  - in line 5 write `m = paddle.index_put(m, (mask,), a[0] * 3)`\
""", f"""\
反向传播没有报错，但 `a` 的梯度从第 5 行起是错的：

  train.py
    5 | m[mask] = a[0] * 3
      | ~~~~~~~~~~~~~~~~~~ 从这里起出错：`m[mask] = ...` 给所赋的值的梯度是 0，正确的是 12（float32）
    6 | (m * m).sum().backward()
      | ^^^^^^^^^^^^^^^^^^^^^^^^ 在此计算：`a` 的梯度是 [0, 0]，正确的是 [36, 0]{END_ZH}\
改法（未经检验）：
  - 把第 5 行改写为 `m = paddle.index_put(m, (mask,), a[0] * 3)`"""),
    "lerp": (LERP, f"""\
Backward raised no error, but the gradient of `a` is wrong from line 4 on:

  train.py
    4 | b.lerp_(paddle.ones([2]), a)
      | ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ wrong from here on: `lerp_` gives `a` no gradient; right is [-2, 12] (float32)
    5 | (b * b).sum().backward()
      | ^^^^^^^^^^^^^^^^^^^^^^^^ computed here: the gradient of `a` is [0, 8]; right is [-2, 20]{END}\
To fix it (not checked):
  - in line 4 write `b = b + (paddle.ones([2]) - b) * a`""", f"""\
反向传播没有报错，但 `a` 的梯度从第 4 行起是错的：

  train.py
    4 | b.lerp_(paddle.ones([2]), a)
      | ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 从这里起出错：`lerp_` 给 `a` 的梯度没有算出，正确的是 [-2, 12]（float32）
    5 | (b * b).sum().backward()
      | ^^^^^^^^^^^^^^^^^^^^^^^^ 在此计算：`a` 的梯度是 [0, 8]，正确的是 [-2, 20]{END_ZH}\
改法（未经检验）：
  - 把第 4 行改写为 `b = b + (paddle.ones([2]) - b) * a`"""),
    "large": (LARGE, f"""\
Backward raised no error, but the gradient of `a` is wrong from line 4 on:

  train.py
    4 | y = paddle.lerp(a * 2, paddle.ones([3, 4]), a)
      |     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ wrong from here on: `lerp` gives `a` no gradient, of which 11 elements should not be 0: [2, 3] should be 8778 (float32)
    5 | (y * y).sum().backward()
      | ^^^^^^^^^^^^^^^^^^^^^^^^ computed here: 11 elements of the gradient of `a` are wrong: [2, 3] is 8360; right is 17138{END}\
To fix it (not checked):
  - in line 4 write `y = (a * 2 + (paddle.ones([3, 4]) - a * 2) * a)`""", f"""\
反向传播没有报错，但 `a` 的梯度从第 4 行起是错的：

  train.py
    4 | y = paddle.lerp(a * 2, paddle.ones([3, 4]), a)
      |     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 从这里起出错：`lerp` 给 `a` 的梯度没有算出，其中应有 11 个元素不为 0：[2, 3] 应为 8778（float32）
    5 | (y * y).sum().backward()
      | ^^^^^^^^^^^^^^^^^^^^^^^^ 在此计算：`a` 的梯度有 11 个元素错误：[2, 3] 是 8360，正确的是 17138{END_ZH}\
改法（未经检验）：
  - 把第 4 行改写为 `y = (a * 2 + (paddle.ones([3, 4]) - a * 2) * a)`"""),
    "function": (FUNCTION, f"""\
Backward raised no error, but the gradient of `a` is wrong from line 3 on:

  train.py
    3 |     m.masked_fill_(m > 0, value)
      |     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ wrong from here on: `masked_fill_` gives `value` the gradient 0; right is 12 (float32), in `fill`
      |     called from line 8, `fill(m, a.sum())`
    9 |     (m * m).sum().backward()
      |     ^^^^^^^^^^^^^^^^^^^^^^^^ computed here: the gradient of `a` is [0, 0]; right is [12, 12]{END}\
To fix it: write `x = paddle.where(mask, value, x)`.""", f"""\
反向传播没有报错，但 `a` 的梯度从第 3 行起是错的：

  train.py
    3 |     m.masked_fill_(m > 0, value)
      |     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 从这里起出错：`masked_fill_` 给 `value` 的梯度是 0，正确的是 12（float32）（在 `fill` 中）
      |     调用处：第 8 行 `fill(m, a.sum())`
    9 |     (m * m).sum().backward()
      |     ^^^^^^^^^^^^^^^^^^^^^^^^ 在此计算：`a` 的梯度是 [0, 0]，正确的是 [12, 12]{END_ZH}\
改法：写成 `x = paddle.where(mask, value, x)`。"""),
    "view": (VIEW, f"""\
Backward raised no error, but the gradient of `a` is wrong: backward did not know of a write, and computed as if it had not happened:

  train.py
    5 | row.scale_(3.)
      | ~~~~~~~~~~~~~~ written by `scale_` through `row`, a view of `b` (`b[0]`, line 4): `b` keeps the grad node of the value before
    6 | loss = b.sum()
      |        ^^^^^^^ reads `b` after that
    7 | loss.backward()
      | ^^^^^^^^^^^^^^^ used here: the gradient of `a` is [2, 2]; right is [6, 2]{END}\
To fix it: write out of place, or write through the tensor that is read later (`b[0] = b[0] * 3`).""", f"""\
反向传播没有报错，但 `a` 的梯度是错的：反向传播不知道有一次写入，按没有这次写入来计算：

  train.py
    5 | row.scale_(3.)
      | ~~~~~~~~~~~~~~ 被 `scale_` 通过 `row`（`b` 的视图，即 `b[0]`，第 4 行）写入：`b` 的梯度节点仍属于之前的值
    6 | loss = b.sum()
      |        ^^^^^^^ 此后读取 `b` 的值
    7 | loss.backward()
      | ^^^^^^^^^^^^^^^ 在此使用：`a` 的梯度是 [2, 2]，正确的是 [6, 2]{END_ZH}\
改法：改用非原地操作，或通过之后要读取的那个张量写入（`b[0] = b[0] * 3`）。"""),
    "saved": (SAVED, f"""\
Backward raised no error, but the gradient of `a` is wrong: a kept value was overwritten without a new version, and backward used the new value:

  train.py
    4 | c = b * b
      |     ^^^^^ kept: `MultiplyGradNode` keeps `b`, its first operand (float32 [2]) (inferred)
    5 | b.set_value(paddle.zeros([2]))
      | ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ overwritten by `set_value`, which raises no version here
    6 | c.sum().backward()
      | ^^^^^^^^^^^^^^^^^^ used here: the gradient of `a` is [0, 0]; right is [8, 16]{END}\
To fix it: write only after this `backward()`, or compute the forward pass again after the write.""", f"""\
反向传播没有报错，但 `a` 的梯度是错的：一个已保存的值被覆盖而版本号没有增加，反向传播使用了新的值：

  train.py
    4 | c = b * b
      |     ^^^^^ 保存：`MultiplyGradNode` 保存了 `b`，即它的第一个操作数（float32 [2]）（推断）
    5 | b.set_value(paddle.zeros([2]))
      | ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 被 `set_value` 覆盖，版本号没有增加
    6 | c.sum().backward()
      | ^^^^^^^^^^^^^^^^^^ 在此使用：`a` 的梯度是 [0, 0]，正确的是 [8, 16]{END_ZH}\
改法：等这次 `backward()` 之后再写入，或在写入之后重新做一次前向计算。"""),
}  # fmt: skip
"""Programs, and what is said of each in both languages."""


def seen_of(text: str, folder: Path) -> tuple[Seen, Report]:
    script = folder / "train.py"
    script.write_text(text, encoding="utf-8")
    with running(Main(script), [], title=None, part=Part(5000), use=Use("paddle"), judged=60) as ran:
        assert ran.recording is not None
        seen = seen_in(ran, ran.recording, script, frameworks()["paddle"], paint=plain)
        return seen, Report(script, 0, "paddle", findings=[*seen.handled], judgment=ran.judgment)


def document_of(report: Report, folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(to_json(report, Names(folder, folder)))
    strict().validate(document)
    return document


@pytest.mark.parametrize("name", SAID)
def test_a_wrong_gradient_is_said_with_its_numbers(name: str, tmp_path: Path) -> None:
    text, english, chinese = SAID[name]
    for language, expected in (("en", english), ("zh", chinese)):
        with speak(language):
            (said,) = seen_of(text, tmp_path)[0].said
            assert said.strip().replace(str(tmp_path / "train.py"), "train.py") == expected


def test_the_document_has_the_numbers_and_the_operation(tmp_path: Path) -> None:
    _, found = seen_of(MASK, tmp_path)
    document = document_of(found, tmp_path)
    (failure,) = document["failures"]
    assert (failure["kind"], failure["wrong_gradients"]) == ("wrong", ["a"])
    assert [(each["tensor"], each["found"], each["expected"]) for each in failure["gradients"]] == [("a", "[0, 0]", "[36, 0]")]  # fmt: skip
    assert failure["cause"]["operation"] == "setitem"
    assert (failure["cause"]["operand"]["found"], failure["cause"]["operand"]["expected"]) == ("0", "12")
    assert "paddle.where(mask, value, x)" in failure["cause"]["instead"]
    assert [(each["role"], each["line"]) for each in failure["places"]] == [("wrong", 5), ("needed", 6)]
    assert document["comparison"]["passes"] == 1
    annotated = to_annotations(found, Names(tmp_path, tmp_path)).decode()
    assert "::error file=train.py,line=5," in annotated
    assert "::notice file=train.py,line=6," in annotated


def test_only_the_gradients_that_are_wrong_are_named(tmp_path: Path) -> None:
    """The write changes what the gradient of the input is computed from, not that of the weight."""
    text = (
        "import paddle\nlin = paddle.nn.Linear(2, 2)\nx = paddle.ones([1, 2])\nx.stop_gradient = False\nout = lin(x)\n"
        "lin.weight.set_value(lin.weight + 1)\n(out * out).sum().backward()\n"
    )
    seen, _ = seen_of(text, tmp_path)
    assert [each.facts.wrong for each in seen.handled] == [("x",)]


def test_a_write_that_leaves_every_gradient_right_is_no_alarm(tmp_path: Path) -> None:
    """Backward does not know of it, but multiplies what it computes of the new values by 0."""
    text = HEAD + "b = a * 2\nc = b * b\nb.set_value(b + 1)\n(c * 0).sum().backward()\n"
    seen, found = seen_of(text, tmp_path)
    assert seen.handled == []
    assert seen.said[0] == (
        "No backward pass failed in what was watched, and 1 gradient agrees with that of inplacelab's engine. Operations: 7; storages that were "
        "written or viewed: 7."
    )
    assert document_of(found, tmp_path)["comparison"] == {"equal": 1, "passes": 1, "not_compared": [], "ended": None}


def test_a_write_is_an_alarm_if_the_comparison_ended_or_left_something_out(tmp_path: Path) -> None:
    text = HEAD + "b = a * 2\nc = b * b\nb.set_value(b + 1)\n(c * 0).sum().backward()\n"
    script = tmp_path / "train.py"
    script.write_text(text)
    with running(Main(script), [], title=None, part=Part(5000), use=Use("paddle"), judged=60) as ran:
        assert ran.recording is not None
        assert ran.judgment is not None
        assert wrong_gradients(ran.recording, ran.judgment) == []
        for unsure in (replace(ran.judgment, ended=True), replace(ran.judgment, left_out={("a",): None})):
            assert [each.wrong for each in wrong_gradients(ran.recording, unsure)] == [("a",)]


def test_what_was_not_compared_is_said(tmp_path: Path) -> None:
    seen, found = seen_of(HEAD + "y = paddle.i1e(a)\n(y * 2).sum().backward()\n", tmp_path)
    assert seen.said[1] == (
        "Not compared with inplacelab's engine: the gradient of `a` (the engine does not compute `i1e` in line 3)."
    )
    (left_out,) = document_of(found, tmp_path)["comparison"]["not_compared"]
    assert left_out["tensor"] == "a"


def test_reasons_are_said_once_for_all_their_gradients() -> None:
    gap, other = Gap("conv3d", None, ()), Gap("", None, None)
    left_out = {("conv.weight",): gap, ("conv.bias",): gap, ("x",): None, (): other}
    judgment = Judgment(compared=2, left_out={**left_out}, passes=3, ended=True)
    ended, left = not_compared(judgment)
    assert ended.en == "Only the first 3 backward passes were compared, because the program computes too much."
    assert str(why_ended(Judgment(passes=1, failure="KeyError: 3"))) == (
        "Only the first backward pass was compared, because of an error inside inplacelab: KeyError: 3."
    )
    assert left.en == (
        "Not compared with inplacelab's engine: the gradient of `conv.weight`, `conv.bias` (the engine does not compute `conv3d` here), the gradient "
        "of `x` (it is not known how it was computed)."
    )
    assert (
        left.zh
        == "没有与 inplacelab 的引擎比较的梯度：`conv.weight`, `conv.bias`（引擎不计算这里的 `conv3d`）、`x`（不知道它是怎样算出的）。".replace(
            "`, `", "`、`"
        )
    )
    assert nothing_found(1, 2, judgment)[0].zh == (
        "在被监视的范围内没有反向传播失败，2 个梯度与 inplacelab 引擎的结果一致：共 1 次操作，2 块被写入或有视图的存储。"
    )


def test_the_element_that_differs_most_may_be_among_what_is_no_number() -> None:
    found, expected = np.array([np.nan, np.inf, 1.0, 2.0]), np.array([np.nan, np.inf, 1.0, 9.0])
    judgment = Judgment(
        differences=[Difference(("a",), found, expected, None, 1), Difference(("b",), found, expected[:2], None, 1)]
    )
    assert elements_of(judgment) == {"a": 3, "b": 0}


def test_more_gradients_than_are_shown_are_counted() -> None:
    many = tuple(GradientFacts(f"w{k}", "", "1") for k in range(5))
    large = (GradientFacts("w", "", "5", (1, 0), 8),)
    assert says_wrong(large).en == "the gradient of `w` is None; 8 of its elements should not be 0: [1, 0] should be 5"
    assert says_wrong(large).zh == "`w` 的梯度是 None，其中应有 8 个元素不为 0：[1, 0] 应为 5"
    assert says_wrong(many).en.endswith("the gradient of `w2` is None; right is 1; 2 more are wrong")
    assert says_wrong(many).zh.endswith("`w2` 的梯度是 None，正确的是 1；另有 2 个梯度也是错的")


def test_a_history_that_is_wrong_is_said_with_the_writes_on_the_way() -> None:
    written, needed = (
        (SiteFacts("train.py", line, line, 0, len(text), text),)
        for line, text in ((3, "b.add_(a)"), (4, "b.backward()"))
    )
    facts = FailureFacts(
        "wrong", needed, wrong=("a",), gradients=(GradientFacts("a", "1", "2"),), written=(written,)
    )  # fmt: skip
    assert report(Finding(facts, advice=advice_for(facts))) == (
        """\
Backward raised no error, but the gradient of `a` is wrong:

  train.py
    3 | b.add_(a)
      | ~~~~~~~~~ writes in place, on the way there
    4 | b.backward()
      | ^^^^^^^^^^^^ computed here: the gradient of `a` is 1; right is 2

The gradient of each operation alone is right, so the framework has recorded another history than that of the operations that ran.
The right values are those of inplacelab's engine, which has run the same operations.
To fix it: write out of place, or compute this part with other operations."""
    )


def test_a_test_that_finds_a_wrong_gradient_says_why(tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in LERP.splitlines()[1:])
    (tmp_path / "test_it.py").write_text(
        f"import paddle\n\ndef test_it():\n{body}    assert a.grad.tolist() == [-2, 20]\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)]
    if b"--explain" not in subprocess.run([*command, "--help"], capture_output=True, check=False).stdout:
        command += ["-p", "inplacelab.diagnosis.pytest_plugin"]  # the package is on the path, but not installed
    ran = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 1
    assert "computed here: the gradient of `a` is [0, 8]; right is [-2, 20]" in ran.stdout


def checked(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(text)
    command = [sys.executable, "-m", "inplacelab", "explain", "--check", *options, "train.py"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_finite_differences_say_who_is_right(tmp_path: Path) -> None:
    ran = checked(tmp_path, MASK, "--format", "json")
    assert ran.returncode == 0
    (failure,) = json.loads(ran.stdout)["failures"]
    assert [each["finite_difference"] for each in failure["gradients"]] == ["36"]
    assert "Finite differences of the loss agree with it: 36 for `a.grad[0]`." in failure["remarks"]


def test_finite_differences_cannot_settle_what_is_cut_on_purpose(tmp_path: Path) -> None:
    ran = checked(tmp_path, HEAD + "b = a * 2\n(b * b.detach()).sum().backward()\n")
    assert "1 gradient agrees with that of inplacelab's engine" in ran.stderr
    assert "No finite differences could be computed: " in ran.stderr


def test_gradients_that_finite_differences_confirm_are_no_failure() -> None:
    """Where the engine is wrong, and not the framework."""
    place = Place(3)
    one = Difference(("a",), np.array([2.0, 3.0]), np.array([2.0, 4.0]), place, 1)
    facts = FailureFacts("wrong", (), wrong=("a",), gradients=(GradientFacts("a", "[2, 3]", "[2, 4]"),))
    judgment = Judgment(differences=[one])
    assert elements_of(judgment) == {"a": 1}
    found, said = settled([facts], {"a": Slope(1, 3.0, 3.001), "b": Slope(0, 1.0, 5.0)}, judgment, "PaddlePaddle")
    assert found == [None]
    assert [each.en for each in said] == [
        "The gradient of `a` is another one on inplacelab's engine, but finite differences of the loss agree with PaddlePaddle's: it is right. "
        "Please report this.",
        "Finite differences of the loss give 5 for an element of the gradient of `b`, and backward gives 1. That is right only if the program means it, "
        "for example by a `backward` of its own; see whether what that has kept was overwritten.",
    ]
    (confirmed,), said = settled([facts], {"a": Slope(1, 3.0, 4.0)}, judgment, "PaddlePaddle")
    assert confirmed is not None
    assert (confirmed.gradients[0].slope, confirmed.gradients[0].sloped, said) == ("4", (1,), [])


def test_a_framework_that_is_not_run_on_the_engine_is_not_checked(tmp_path: Path) -> None:
    ran = checked(tmp_path, "import numpy\nnumpy.ones(3)\n")
    assert ran.returncode == 2
    assert "programs of 'numpy' are not run; leave the option out" in ran.stderr


@pytest.mark.parametrize(
    ("statement", "rewritten"),
    [
        ("m[[0, 2]] = a * 3", "m = paddle.index_put(m, (paddle.to_tensor([0, 2]),), a * 3)"),
        ("m[~mask] = a[:1] * 3", "m = paddle.index_put(m, (~mask,), a[:1] * 3)"),
        ("m[0:1][mask[:1]] = a[:1] * 3", None),  # a new tensor would not be seen in `m`
    ],
)
def test_the_line_to_write_fits_the_index(statement: str, rewritten: str | None, tmp_path: Path) -> None:
    text = HEAD.replace("2.]", "2.], dtype='float64'").replace("stop", " stop") + (
        "m = paddle.zeros([3], dtype='float64')\nmask = paddle.to_tensor([True, False, True])\n"
        f"{statement}\n(m * m).sum().backward()\n"
    )
    seen, _ = seen_of(text, tmp_path)
    fixes = [fix.says.en for each in seen.handled for fix in each.fixes]
    assert fixes == ([] if rewritten is None else [f"in line 5 write `{rewritten}`"])
    if rewritten is not None:
        assert seen_of(text.replace(statement, rewritten), tmp_path)[0].handled == []


def test_only_leaves_are_named_and_not_all_of_many(tmp_path: Path) -> None:
    leaves = "".join(
        f"w{k} = paddle.ones([1])\nw{k}.stop_gradient = False\nboth[0, {k}:{k + 1}] = w{k} * 2\n" for k in range(6)
    )
    text = (
        f"import paddle\nboth = paddle.zeros([1, 6])\n{leaves}row = both[0]\nrow.scale_(0.5)\nboth.sum().backward()\n"
    )
    seen, _ = seen_of(text, tmp_path)
    (found,) = seen.handled
    assert {*found.facts.wrong} == {f"w{k}" for k in range(6)}
    with speak("en"):
        said = report(found)
    assert said.startswith("Backward raised no error, but the gradients of `w5`, `w4`, `w3` and 3 others are wrong: ")


def test_a_gradient_that_is_none_because_it_is_wrong_is_explained_once(tmp_path: Path) -> None:
    text = HEAD + (
        "class Twice(paddle.autograd.PyLayer):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.mark_not_inplace(x)\n        return x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2\n"
        "y = Twice.apply(a * 3)\ny.sum().backward()\nprint(a.grad.tolist())\n"
    )
    (tmp_path / "train.py").write_text(text)
    ran = subprocess.run(
        [sys.executable, "-m", "inplacelab", "explain", "--lang", "en", "train.py"], capture_output=True, text=True, check=False, cwd=tmp_path
    )  # fmt: skip
    assert "the gradient of `a` is None, without the part that `Twice.backward` computes" in ran.stderr
    assert "no backward pass has reached `a`" not in ran.stderr
    assert ran.stderr.count("To fix it") == 1


def test_a_recording_says_which_gradients_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MASK)
    ran = subprocess.run(
        [sys.executable, "-m", "inplacelab", "record", "--lang", "en", "train.py"], capture_output=True, text=True, check=False, cwd=tmp_path
    )  # fmt: skip
    assert ran.returncode == 0
    assert "the gradient of `a` is [0, 0]; right is [36, 0]" in ran.stderr

"""Questions to a recording: where a number comes from, what it flows into, the life of its slot, what its gradient is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.language import speak
from inplacelab.place import Place
from inplacelab.recording import Recording, from_json, to_json
from inplacelab.recording.origins import contributions, flows_into, life, origins
from inplacelab.recording.origins.words import comes_from, gradient_says, path_says
from tests.recorders.runs import run

PROGRAM = """import inplacelab as paddle; \
m = paddle.to_tensor([[1., 2.], [3., 4.]])
row, col = m[0], m[:, 1]
row.scale_(10.)
col.zero_()
w = paddle.to_tensor([2., -3.], stop_gradient=False)
h = m @ w
r = (w * 3.).relu()
d = w.detach() * 2.
loss = h.sum() + (r * r).sum() + d.sum()
noise = paddle.rand([2])
loss.backward()
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    return run(PROGRAM, "inplacelab").recording


def line_end(recording: Recording, line: int) -> int:
    return recording.on_line(line)[-1].index


@pytest.mark.parametrize(
    ("name", "index", "line", "arithmetic", "names"),
    [
        ("m", (0, 0), 3, "10 = 1 · 10", ["`row[0]`"]),
        ("h", (1,), 6, "6 = 3 · 2 + 0 · (-3)", ["`m[1, 0]`", "`w[0]`", "`m[1, 1]`", "`w[1]`"]),
        ("r", (1,), 7, "0 = relu(-9)", ["`T9[1]`"]),
    ],
)
def test_the_arithmetic_is_in_the_learners_numbers(
    recording: Recording, name: str, index: Any, line: int, arithmetic: str, names: list[str]
) -> None:
    found = origins(recording, name, index, line_end(recording, max(line, 6)))
    assert found.arithmetic is not None
    assert (found.line, found.arithmetic.en) == (line, arithmetic)
    assert [each.called.en for each in found.origins][: len(names)] == (
        names if name != "r" else [found.origins[0].called.en]
    )


def test_a_number_that_was_written_has_no_origin(recording: Recording) -> None:
    found = origins(recording, "m", (0, 1))
    assert (found.how, found.line, found.version, found.origins) == ("written", 4, 2, ())


def test_random_numbers_and_given_ones(recording: Recording) -> None:
    assert origins(recording, "w", (0,)).how == "made"
    assert origins(recording, "noise", (0,)).how == "made"


def test_a_number_flows_until_it_is_overwritten(recording: Recording) -> None:
    found = flows_into(recording, "m", (0, 1), line_end(recording, 1))
    assert [(flow.place, flow.called.en) for flow in found.into] == [(Place(3), "`row[1]`")]
    assert found.until == recording.on_line(3)[-1].index


def test_the_life_of_a_slot(recording: Recording) -> None:
    told = [event.says.en for event in life(recording, "m", (0, 1))]
    assert told[0] == "made by to_tensor (line 1): 2"
    assert "2 → 20 by scale_ (line 3) through `row`" in told
    assert "20 → 0 by zero_ (line 4) through `col`" in told
    assert any(each.startswith("kept by `MatmulGradNode` at v2") for each in told)


def test_why_a_gradient_is_zero_or_not(recording: Recording) -> None:
    first, second = (contributions(recording, "w", (k,)) for k in range(2))
    assert (first.gradient, first.right, first.wrong) == (49.0, 49.0, False)
    assert gradient_says(first).en == "49 = 36 + 10 + 3"
    assert {(path.end, path.place) for path in second.paths if path.end != "root"} >= {
        ("zero", Place(7)),
        ("detached", Place(8)),
    }
    assert path_says("w[0]", first.paths[-1]).en.startswith("`w[0]`")


def test_bad_input_is_refused_with_a_sentence(recording: Recording) -> None:
    with pytest.raises(IndexError, match=r"`m` has no element \[2, 0\]: its shape is \[2, 2\]"):
        origins(recording, "m", (2, 0))
    with pytest.raises(IndexError, match="no element"):
        flows_into(recording, "w", (0, 0))
    with pytest.raises(KeyError, match="no tensor is called 'h' after step 0"):
        origins(recording, "h", (0,), 0)
    with pytest.raises(IndexError, match="there is no step 999"):
        life(recording, "m", (0, 0), 999)
    with pytest.raises(TypeError, match="one whole number for each axis"):
        origins(recording, "m", ("a", 0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a tensor is given by its name"):
        life(recording, 3, (0, 0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a recording is asked"):
        origins(paddle.record(), "m", (0, 0))  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="`m` has received no gradient"):
        contributions(recording, "m", (0, 0))


def test_it_survives_a_file_and_speaks_chinese(recording: Recording) -> None:
    again = from_json(to_json(recording))
    found = origins(again, "h", (0,))
    assert found == origins(recording, "h", (0,))
    with speak("zh"):
        assert str(comes_from(again, found)).endswith("`w[0]`、`m[0, 1]` 和 `w[1]`")


def test_a_file_whose_facts_disagree_is_not_known(recording: Recording) -> None:
    text = to_json(recording).replace('"text":"yx,x->y"', '"text":"abc,d->e"')
    assert text != to_json(recording)
    assert origins(from_json(text), "h", (0,)).how in ("not known", "computed")


def test_large_tensors_are_cut_and_it_is_said() -> None:
    found = origins(
        run("import inplacelab as paddle; x = paddle.ones([100, 100])\ny = x.sum()\n", "inplacelab").recording, "y", ()
    )
    assert (len(found.origins), found.more) == (512, True)


def test_all_paths_are_added_up_though_a_part_is_listed() -> None:
    layers = 16  # 2 ** 16 paths
    text = "import inplacelab as paddle; w = paddle.to_tensor([1., 2.], stop_gradient=False); h = w\n"
    recording = run(
        text + "h = h.sum() * paddle.to_tensor([0.5, 0.25])\n" * layers + "h.sum().backward()", "inplacelab"
    ).recording
    found = contributions(recording, "w", (0,))
    assert found.gradient == pytest.approx(0.75**layers)
    assert found.right == pytest.approx(found.gradient)
    assert found.more
    assert not found.wrong
    largest = [path.value or 0.0 for path in found.paths]
    assert largest == sorted(largest, reverse=True)
    assert largest[0] == pytest.approx(0.5**layers)


def test_paths_of_hundreds_of_hops_are_added_up() -> None:
    text = "import inplacelab as paddle; w = paddle.to_tensor([1., 2.], stop_gradient=False); h = w * 1.\n"
    text += "for _ in range(300):\n    h.scale_(0.999)\nh.sum().backward()"
    found = contributions(run(text, "inplacelab").recording, "w", (1,))
    assert (found.paths, found.more) == ((), True)
    assert found.right == pytest.approx(0.999**300, rel=1e-3)


def test_numbers_that_earlier_passes_used_are_left_out() -> None:
    text = """import inplacelab as paddle; w = paddle.to_tensor([1., 2.], stop_gradient=False)
opt = paddle.optimizer.SGD(0.1, parameters=[w])
for _ in range(3):
    (w * w).sum().backward()
    opt.step()
    opt.clear_grad()
(w * 3.).sum().backward()
"""
    found = contributions(run(text, "inplacelab").recording, "w", (0,))
    assert [(path.end, path.value) for path in found.paths] == [("root", 3.0)]


def test_a_number_that_the_first_step_overwrote_was_not_recorded() -> None:
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.record() as block:
        x.add_(x)
    assert block.recording is not None
    found = origins(block.recording, "x", (0,))
    assert str(found.arithmetic) == "2 = ? + ?", "not 2 = 2 + 2"
    assert [(each.value, each.version) for each in found.origins] == [(None, 0), (None, 0)]


def test_a_gradient_that_was_cleared_is_a_number_of_the_program() -> None:
    pytest.importorskip("paddle")
    program = """a = paddle.to_tensor([1., 2.], stop_gradient=False)
c = paddle.to_tensor([3., 4.])
for _ in range(2):
    (a * c).sum().backward()
    with paddle.no_grad():
        a.subtract_(a.grad)
    a.clear_gradient()
(a * a).sum().backward()
"""
    found = contributions(run(program, "paddle").recording, "a", (0,))
    assert [(path.end, path.value) for path in found.paths] == [("root", -10.0)]
    assert found.right == -10.0


def test_numbers_that_are_reduced_at_one_place_say_how() -> None:
    pytest.importorskip("torch")
    told = []
    for how in ("sum", "prod", "mean", "amax"):
        program = f"a = torch.tensor([2.], requires_grad=True)\nb = torch.tensor([2.])\nc = a.scatter_reduce(0, torch.tensor([0]), b, '{how}')\nc.sum().backward()\n"
        recording = run(program, "torch").recording
        found = origins(recording, "c", (0,)).arithmetic
        told.append((found and found.en, contributions(recording, "a", (0,)).right))
    assert told == [("4 = 2 + 2", 1.0), ("4 = 2 · 2", 2.0), ("2 = (2 + 2) / 2", 0.5), ("2 = max(2, 2)", 0.5)]


LONG = "import inplacelab as paddle\nx = paddle.to_tensor([(37 * k % 997) * 0.5 for k in range(900)], stop_gradient=False)\n"


def test_every_element_counts_though_a_part_is_listed() -> None:
    recording = run(f"{LONG}s, m = x.sum(), x.max()\n", "inplacelab").recording
    total, largest = origins(recording, "s", ()), origins(recording, "m", ())
    assert total.more
    assert total.arithmetic is not None
    assert total.arithmetic.en.endswith("sum of 900 numbers")
    assert [each.index[0] for each in largest.origins] == [max(range(900), key=lambda k: 37 * k % 997)]
    assert [flow.op for flow in flows_into(recording, "x", (899,), line_end(recording, 2)).into] == ["sum"]


def test_the_slope_of_a_long_mean_is_that_of_all_its_elements() -> None:
    found = contributions(run(f"{LONG}x.mean().backward()\n", "inplacelab").recording, "x", (899,))
    assert found.right == pytest.approx(1 / 900)
    assert not found.wrong


def test_of_a_large_gradient_it_is_said_what_arrived_in_this_pass() -> None:
    program = f"{LONG}(x * 3.).sum().backward()\n(x * 2.).sum().backward()\n"
    found = contributions(run(program, "inplacelab").recording, "x", (700,))
    assert (found.held, found.gradient, found.right, found.wrong) == (3.0, 2.0, 2.0, False)


LEAF = {
    "inplacelab": "import inplacelab as paddle\na = paddle.to_tensor([1., 2.], stop_gradient=False)\n",
    "paddle": "a = paddle.to_tensor([1., 2.], stop_gradient=False)\n",
    "torch": "a = torch.tensor([1., 2.], requires_grad=True)\n",
}
each_framework = pytest.mark.parametrize("framework", [*LEAF])


@each_framework
def test_a_pass_may_begin_at_several_tensors_and_large_ones(framework: str) -> None:
    imported = framework if framework != "inplacelab" else "numpy"
    pytest.importorskip(imported)
    given = "torch.ones(20, 2)" if framework == "torch" else "paddle.ones([20, 2])"
    begins = f"{'torch' if framework == 'torch' else 'paddle'}.autograd.backward([c, d], [{given}, None])\n"
    program = f"{LEAF[framework]}c = (a * a).expand([20, 2]) * 1.\nd = (a * 3.).sum()\n{begins}"
    found = contributions(run(program, framework).recording, "a", (1,))
    assert (found.gradient, found.right, found.wrong) == (83.0, 83.0, False)


@each_framework
def test_a_gradient_that_a_hook_changed_is_not_called_wrong(framework: str) -> None:
    imported = framework if framework != "inplacelab" else "numpy"
    pytest.importorskip(imported)
    program = f"{LEAF[framework]}h = a.register_hook(lambda g: g * 2.)\n(a * a).sum().backward()\n"
    found = contributions(run(program, framework).recording, "a", (1,))
    assert (found.wrong, found.right, found.without_hooks) == (False, None, 4.0)
    assert gradient_says(found).en.startswith("8: the paths add up to 4, and code of the program")


def test_what_the_pass_does_not_reach_need_not_be_known() -> None:
    large = "x = paddle.ones([100], dtype='float64') * a[0]\ny = paddle.outer(x, x)\n"
    program = f"{LEAF['inplacelab']}{large}(a * 3.).sum().backward()\n"
    assert contributions(run(program, "inplacelab").recording, "a", (0,)).right == 3.0


def test_a_large_wrong_gradient_of_paddle_is_noticed() -> None:
    pytest.importorskip("paddle")
    program = "a = paddle.ones([5, 5])\na.stop_gradient = False\nb = a * 2.\nloss = (b * b).sum()\nb.set_value(paddle.zeros([5, 5]))\nloss.backward()\n"
    found = contributions(run(program, "paddle").recording, "a", (4, 4))
    assert (found.gradient, found.right, found.wrong) == (0.0, 8.0, True)


@each_framework
def test_the_slope_of_a_custom_operation_is_left_to_its_backward(framework: str) -> None:
    pytest.importorskip(framework if framework != "inplacelab" else "numpy")
    base = "torch.autograd.Function" if framework == "torch" else "paddle.autograd.PyLayer"
    layer = (
        f"class Twice({base}):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2.\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 3.\n"
    )
    program = f"{LEAF[framework]}{layer}b = Twice.apply(a * 5.)\nb.sum().backward()\n"
    found = contributions(run(program, framework).recording, "a", (0,))
    assert (found.gradient, found.right, found.wrong) == (15.0, None, False)
    assert [path.end for path in found.paths] == ["custom"]


@each_framework
def test_a_tensor_that_is_no_leaf_may_retain_its_gradient(framework: str) -> None:
    pytest.importorskip(framework if framework != "inplacelab" else "numpy")
    retain = "b.retain_grad()" if framework == "torch" else "b.retain_grads()"
    program = f"{LEAF[framework]}b = a * 2.\n{retain}\n(b * b).sum().backward()\n"
    found = contributions(run(program, framework).recording, "b", (1,))
    assert (found.gradient, found.right, found.wrong) == (8.0, 8.0, False)
    write = "b.mul_(2.)" if framework == "torch" else "b.scale_(2.)"  # PyTorch retains the gradient of the new number
    written = contributions(run(program.replace(retain, f"{retain}\n{write}"), framework).recording, "b", (1,))
    assert (written.right, written.wrong) == (None, False)


def test_an_operand_of_which_nothing_was_recorded_is_not_taken_for_none() -> None:
    program = "import inplacelab as paddle\na = paddle.ones([2, 2])\na.stop_gradient = False\nrow = a[0]\ny = row * 2.\ny.sum().backward()\n"
    full = run(program, "inplacelab").recording
    row = full.state().tensor("row").id
    steps = tuple(replace(step, tensors=tuple(each for each in step.tensors if each[0] != row)) for step in full.steps)
    recording = replace(full, steps=steps)
    assert origins(recording, "y", (0,)).how == "not known"
    assert (contributions(recording, "a", (0, 0)).right, contributions(recording, "a", (0, 0)).wrong) == (None, False)

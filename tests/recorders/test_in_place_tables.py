"""The tables of in-place forms say what the rows of this package's operations, and what the frameworks themselves, say."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from inspect import signature
from typing import Any

import pytest

import inplacelab
import inplacelab.torch
from inplacelab.ops import ROWS
from inplacelab.ops.table.row import Row
from inplacelab.supported import InPlaceForms, frameworks

OTHERWISE = frozenset({"cast", "where"})
"""`x.cast_()` of the same type makes no storage either; `where_` writes its second argument."""


def rows() -> Iterator[Row]:
    """The rows that have both forms, compute a result from the old values, and pass a gradient on."""
    for row in ROWS.values():
        both = row.ordinary and row.in_place and row.layout is None
        if both and row.kind != "overwrite" and row.rules[0] is not None and row.name not in OTHERWISE:
            yield row


def written(names: Iterable[str], owner: Any) -> frozenset[str]:
    return frozenset(each for each in names if hasattr(owner, f"{each}_"))


def test_the_engines_forms_are_those_of_its_rows() -> None:
    forms = frameworks()["inplacelab"].in_place
    truths = {row.name for row in rows() if "f" not in row.accepts}
    names = [each for row in rows() for each in (row.name, row.called, *row.aliases) if row.name not in truths]
    public = frozenset(each for each in names if each and not each.startswith("_"))
    assert forms.methods == written(public, inplacelab.Tensor)
    assert forms.functions == written(public, inplacelab)
    assert forms.functional == written(public, inplacelab.nn.functional)
    assert "fill_diagonal_tensor" in forms.methods


def test_a_row_saves_the_same_in_both_forms_so_that_none_keeps_its_result_only_in_place() -> None:
    assert frameworks()["inplacelab"].in_place.keeps_result == frozenset()


def positions(owner: Any) -> dict[str, int]:
    """The functions of a module with an argument `inplace`, with its position."""
    found = {}
    for name in dir(owner):
        function = getattr(owner, name)
        if callable(function) and not isinstance(function, type) and not name.startswith("_"):
            names = list(signature(function).parameters)
            if "inplace" in names:
                found[name] = names.index("inplace")
    return found


@pytest.mark.parametrize("name", ["inplacelab", "inplacelab.torch"])
def test_functions_with_the_argument_are_all_there(name: str) -> None:
    package = {"inplacelab": inplacelab, "inplacelab.torch": inplacelab.torch}[name]
    assert dict(frameworks()[name].in_place.flagged) == positions(package.nn.functional)


@pytest.mark.parametrize("name", ["inplacelab", "inplacelab.torch"])
def test_modules_with_the_argument_take_it_where_the_table_says(name: str) -> None:
    package = {"inplacelab": inplacelab, "inplacelab.torch": inplacelab.torch}[name]
    forms = frameworks()[name].in_place
    before: dict[str, list[Any]] = {"Dropout": [0.5], "LeakyReLU": [0.01], "Hardtanh": [-1.0, 1.0]}
    for kind, position in forms.modules.items():
        assert position == len(before.get(kind, []))
        made: Any = getattr(package.nn, kind)(*before.get(kind, []), True)
        assert getattr(made, "inplace", None) or made._given["inplace"]


@pytest.mark.parametrize("name", ["inplacelab.torch"])
def test_functions_and_methods_of_the_table_exist(name: str) -> None:
    forms = frameworks()[name].in_place
    torch: Any = inplacelab.torch
    assert forms.functions == written(forms.functions, torch) == forms.functions & both_forms(torch)
    assert forms.methods == written(forms.methods, torch.Tensor) == forms.methods & both_forms(torch.Tensor)
    assert forms.functional == written(forms.functional, torch.nn.functional)
    left_out = (both_forms(torch) | both_forms(torch.Tensor)) - forms.methods - forms.functions
    assert left_out == NOT_COMPUTED


NOT_COMPUTED = frozenset({
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "detach", "logical_not", "requires_grad", "squeeze", "swapaxes",
    "swapdims", "t", "transpose", "unsqueeze",
})  # fmt: skip
"""What makes views, or has no gradient."""


def both_forms(owner: Any) -> frozenset[str]:
    return frozenset(
        each[:-1]
        for each in dir(owner)
        if each.endswith("_") and not each.startswith("_") and hasattr(owner, each[:-1])
    )


@pytest.mark.parametrize(("name", "augments"), [("inplacelab", False), ("inplacelab.torch", True)])
def test_augmented_assignment(name: str, augments: bool) -> None:
    forms: InPlaceForms = frameworks()[name].in_place
    x = {"inplacelab": inplacelab, "inplacelab.torch": inplacelab.torch}[name].ones([2])
    before = x
    x += x + 1
    assert (x is before) is augments is forms.augments


def test_numbers_in_the_engine_go_through_scale() -> None:
    forms = frameworks()["inplacelab"].in_place
    x = inplacelab.to_tensor([0.3, -7.0, 0.0])
    ordinary = {"add": x + 2.0, "sub": x - 2.0, "mul": x * 2.0, "div": x / 3.0}
    for name, expected in ordinary.items():
        y = x.clone()
        eval("y." + forms.scalars[name].format(3.0 if name == "div" else 2.0), {"y": y})
        assert y.numpy().tobytes() == expected.numpy().tobytes(), name


PROBE = """
import paddle
F, T, core = paddle.nn.functional, paddle.Tensor, paddle.base.core
used = lambda: core.host_memory_stat_current_value("Allocated", 0)
"""


def in_paddle(script: str) -> Any:
    """Runs a script with PaddlePaddle in a process of its own, which may crash. Returns its `found`."""
    pytest.importorskip("paddle")
    text = f"{PROBE}\n{script}\nimport json\nprint(json.dumps(found))"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=200, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.oracle
def test_paddles_forms_exist_write_in_place_and_take_no_more_memory_than_recorded() -> None:
    forms = frameworks()["paddle"].in_place
    script = f"""
methods, functions, functional = {sorted(forms.methods)}, {sorted(forms.functions)}, {sorted(forms.functional)}
found = [n for owner, names in ((T, methods), (paddle, functions), (F, functional)) for n in names if not hasattr(owner, n + "_")]
y = x = paddle.ones([3]); x += x
found.append("augments" if x is y else "new")
for module in (paddle.nn.Dropout(0.5, True), paddle.nn.Silu(True), paddle.nn.SiLU(True)):
    x = paddle.ones([3]); found.append(module(x) is x)
for call in (lambda x: F.dropout(x, 0.5, None, True, True), lambda x: F.silu(x, True)):
    x = paddle.ones([3]); found.append(call(x) is x)
for n in (2.0, 3.0, 0.1, 7):
    x = paddle.randn([1000])
    pairs = ((x + n, x.clone().{forms.scalars["add"].format("n")}), (x - n, x.clone().{forms.scalars["sub"].format("n")}), (x * n, x.clone().{forms.scalars["mul"].format("n")}))
    found += [a.numpy().tobytes() == b.numpy().tobytes() for a, b in pairs]
"""
    assert in_paddle(script) == ["new", *[True] * 17]


COPIES = """
found = {}
for name in names:
    owner = "h." if hasattr(T, name + "_") else "F." if hasattr(F, name + "_") else "paddle."
    written = None
    try:
        x = paddle.full([1024], 0.25); x.stop_gradient = False; h, k = x * 1, x * 1
        ordinary = eval(owner + name + ("()" if owner == "h." else "(h)"))
        before = used()
        written = eval((owner + name + "_").replace("h.", "k.") + ("()" if owner == "h." else "(k)"))
        more = used() - before
    except Exception:
        continue  # it needs other operands
    with inplacelab.record(framework="paddle") as rec:
        x = paddle.full([1024], 0.25); x.stop_gradient = False
        h = x * 1
        y = eval(owner + name + ("()" if owner == "h." else "(h)"))
    call = list(calls(rec.recording, ends=True))[-1]
    same = ordinary.numpy().tobytes() == written.numpy().tobytes()
    found[name] = [more >= 4096, call.copies, written is k, same]
"""


@pytest.mark.oracle
def test_paddles_forms_of_one_operand_copy_it_where_the_ordinary_form_is_known_to_keep_it() -> None:
    forms = frameworks()["paddle"].in_place
    imports = "import inplacelab\nfrom inplacelab.recording.savings.overwriting import calls"
    found = in_paddle(f"{imports}\nnames = {sorted(forms.names)}\n{COPIES}")
    assert len(found) > 40
    assert {name: each for name, each in found.items() if each[0] != each[1] or not all(each[2:])} == {}

"""The catalogue of refusals: its entries are complete, and raised somewhere with the fields that their texts have."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import inplacelab as paddle
from inplacelab import errors, torch
from inplacelab.errors import computed
from inplacelab.errors.catalogue import CHAPTERS, Entry, entries, fields_of
from inplacelab.language import Language, Text, speak

ROOT = Path(__file__).parents[2]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
IMPORTS_ERRORS = re.compile(r"from inplacelab import[^#]*\berrors\b")
FACTS = {"node", "saved", "tensor"}
"""The keywords that no text shows: objects, for a recorder."""


@cache
def nodes_of(*folders: str) -> dict[str, list[ast.AST]]:
    """The syntax trees, in one list for each file, of the files in these folders that import `errors` from the package."""
    found = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        text = path.read_text(encoding="utf-8")
        if IMPORTS_ERRORS.search(text):  # to parse every file takes seconds
            nodes = [*ast.walk(ast.parse(text))]
            if any(map(_imports_errors, nodes)):
                found[str(path.relative_to(ROOT))] = nodes
    return found


def _imports_errors(node: ast.AST) -> bool:
    if not isinstance(node, ast.ImportFrom) or node.module != "inplacelab":
        return False
    return any(each.name == "errors" and each.asname is None for each in node.names)


def mentioned(*folders: str) -> Iterator[tuple[str, ast.Attribute]]:
    """Every `errors.name`, and its position."""
    for path, nodes in nodes_of(*folders).items():
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "errors":
                yield f"{path}:{node.lineno}", node


def raised() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call of an entry in the packages: its position, and the name."""
    names = {id(node): where for where, node in mentioned("inplacelab", "widgets") if node.attr in entries()}
    for nodes in nodes_of("inplacelab", "widgets").values():
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and id(node.func) in names:
                yield names[id(node.func)], node, node.func.attr


def in_computed() -> set[str]:
    """The entries that `computed` asks for by their names."""
    tree = ast.parse(Path(computed.__file__).read_text(encoding="utf-8"))
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return words & entries().keys()


def test_every_entry_is_raised_somewhere() -> None:
    assert {name for _, _, name in raised()} | in_computed() == entries().keys()


def test_every_name_that_is_used_is_there() -> None:
    known = [*mentioned("inplacelab", "widgets"), *mentioned("tests")]
    assert len(known) > 300
    assert [where for where, node in known if not hasattr(errors, node.attr)] == []


def test_an_entry_is_raised_with_the_fields_of_its_texts() -> None:
    wrong = [
        where
        for where, call, name in raised()
        if call.args or {each.arg for each in call.keywords} - FACTS != entries()[name].fields()
    ]
    assert wrong == []


def test_an_entry_is_called_where_its_name_is_used() -> None:
    """Or its keywords could not be compared."""
    called = {id(call.func) for _, call, _ in raised()}
    places = mentioned("inplacelab", "widgets")
    assert [where for where, node in places if node.attr in entries() and id(node) not in called] == []


def test_no_name_is_given_twice_or_hidden() -> None:
    tables = [tomllib.loads(chapter.read_text(encoding="utf-8")) for chapter in CHAPTERS.glob("*.toml")]
    assert sum(map(len, tables)) == len(entries())
    assert all(getattr(errors, name) is entry for name, entry in entries().items())
    known = {"class", "fix", "headline", "hint", "like", "reading", "why"}
    assert {key for table in tables for entry in table.values() for key in entry} == known


def test_every_entry_says_what_happened_why_and_what_to_do_in_both_languages() -> None:
    for name, entry in entries().items():
        assert issubclass(entry.kind, errors.Refusal), name
        assert entry.headline.strip(), name
        assert "\n" not in entry.headline, name
        for text in (entry.why, entry.fix):
            assert all((text.en.strip(), text.zh.strip())), name
            assert fields_of(text.en) == fields_of(text.zh), name
        assert fields_of(entry.reading) <= entry.fields(), name
        assert CHINESE.search(entry.reading), name
        assert not entry.fields() & FACTS, name


def test_a_refusal_is_filled_in() -> None:
    refusal = errors.uneven_split(sections=2, shape=(3, 4), axis=0)
    assert isinstance(refusal, errors.ShapeError)
    assert str(refusal) == (
        "(InvalidArgument) The input's size along the split dimension must be evenly divisible by Attr(num_or_sections). But "
        "received Attr(num_or_sections) = 2, input(X)'s shape = [3, 4], Attr(dim) = 0.\n"
        "  Why: a split into a given number of parts makes parts of equal size.\n"
        "  Instead: give the sizes as a list, or use `tensor_split`, whose parts may differ in size by one."
    )
    with speak("zh"):
        assert str(errors.zero_step()).splitlines()[1:] == [
            "  译文：StridedSlice 的步长为 0。",
            "  原因：步长为 0 时切片无法前进。",
            "  改法：请选择正的或负的步长。",
        ]


def test_how_fields_are_shown() -> None:
    entry = Entry(
        errors.ShapeError, "{x} {y} {-n} {x!r} {n!t} {n!T} {y!q} {x!s} {f:.2f}", Text("{t}", "{t}"), Text("a", "b")
    )
    refusal = entry(x=(1, 2), y=["a", "b"], n=3, f=0.5, t=Text("one", "一"))
    assert refusal.headline == "[1, 2] a, b -3 (1, 2) int <class 'int'> `a`, `b` (1, 2) 0.50"
    assert refusal.why == Text("one", "一")


@pytest.mark.parametrize("fields", [{}, {"step": 0, "size": 1}])
def test_a_missing_or_an_unknown_field_is_a_type_error(fields: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"the fields of .* are \['step'\], not"):
        errors.bad_unfold_step(**fields)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    name = "no_such_refusal"
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(errors, name)


def test_the_catalogue_is_read_when_something_is_refused() -> None:
    program = "import sys, inplacelab; assert 'tomllib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "de_DE"}, "zh"),
        ({"INPLACELAB_LANGUAGE": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"INPLACELAB_LANGUAGE": "zh", "LANG": "C"}, "zh"),
    ],
)
def test_a_session_begins_in_the_language_of_the_locale_unless_told_otherwise(
    environment: dict[str, str], language: str
) -> None:
    code = "from inplacelab import get_language; print(get_language())"
    others = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "INPLACELAB"))}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=others | environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == language


def test_a_name_that_a_tensor_lacks_is_refused_with_what_is_near() -> None:
    x = paddle.ones([2])
    with pytest.raises(
        AttributeError, match=r"^'Tensor' object has no attribute 'sclae_'\n  Why: .*\n  Instead: did you mean `scale_`"
    ):
        x.sclae_(2.0)
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute '_hidden'$"):
        _ = x._hidden


def _said(call: Callable[[], object], error: type[Exception], language: Language = "en") -> str:
    with speak(language):
        with pytest.raises(error) as refused:
            call()
        return str(refused.value)


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("matmul_", "use `matmul`, which makes a new tensor."),
        ("softmax_", "write `nn.functional.softmax_`."),
        ("retain_grad", "write `retain_grads`."),
        ("compile", "leave it out"),
        ("foo_", "did you mean `floor_`?"),
    ],
)
def test_a_name_that_is_not_there_leads_to_the_one_that_is_meant(name: str, fix: str) -> None:
    assert f"\n  Instead: {fix}" in _said(lambda: getattr(paddle.ones([2]), name), AttributeError)


def test_a_near_name_in_another_module_is_named_with_it_and_no_silly_ones() -> None:
    said = _said(lambda: paddle.reluu, AttributeError)
    assert "did you mean `nn.functional.relu`" in said
    assert "ravel" not in said
    assert _said(lambda: paddle.foo_, AttributeError, "zh").endswith("\n  改法：相近的名称有 `floor_`。")


@pytest.mark.parametrize("name", ["elu_", "hardtanh_", "leaky_relu_", "relu_", "softmax_", "thresholded_relu_"])
def test_a_leaf_is_to_be_cloned_and_written_by_a_call_that_there_is(name: str) -> None:
    leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    said = _said(lambda: getattr(paddle.nn.functional, name)(leaf), ValueError)
    assert f"(`y = x.clone(); F.{name}(y)`)" in said


def test_what_is_refused_in_place_is_named_as_it_was_called() -> None:
    x = paddle.to_tensor([1, 2])
    assert "Why: `sin_` is not defined for int64" in _said(x.sin_, RuntimeError)
    said = _said(lambda: x.add_(paddle.to_tensor([1.5, 2.0])), TypeError)
    assert "Why: `add_` does not choose" in said
    assert "`x = x.astype('float32')`, which makes a new tensor" in said


def test_strides_that_are_no_integers_are_not_called_a_shape() -> None:
    assert "argument 'stride' got [1.0]" in _said(lambda: paddle.ones([2]).as_strided([2], [1.0]), ValueError)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: paddle.concat([paddle.ones([2, 3]), paddle.ones([2, 2])]), ValueError, "input[0] 与 input[1] 的第 1 维应相等"),
        (lambda: paddle.stack([paddle.ones([2, 3]), paddle.ones([2])]), ValueError, "input[0] 与 input[1] 的形状应相等"),
        (lambda: paddle.to_tensor([[1.0], [1.0, 2.0]]), ValueError, "各行的长度不同"),
        (lambda: paddle.to_tensor(["a"]), ValueError, "元素不是数"),
        (lambda: paddle.ones([2]).clip_(3.0, 1.0), ValueError, "下限大于上限"),
    ],
)  # fmt: skip
def test_no_english_stands_in_the_chinese(call: Callable[[], object], error: type[Exception], words: str) -> None:
    *_, ours = _said(call, error, "zh").partition("译文：")
    assert words in ours
    assert not any(each in ours for each in ("The ", "dimension", "setting", "<U"))


def test_the_error_of_a_stale_tensor_begins_as_paddles() -> None:
    """PaddlePaddle 3.3.1, `h = F.relu_(x); h.subtract_(c); h.sum().backward()`."""
    x = paddle.ones([2])
    x.stop_gradient = False
    h = (x * 2.0).exp_()
    h.subtract_(paddle.ones([2]))
    assert _said(h.sum().backward, RuntimeError).startswith(
        "(PermissionDenied) Tensor '' used in gradient computation has been modified by an inplace operation. Its version is 2 but the "
        "expected version is 1. Please fix your code to void calling an inplace operator after using the Tensor which will used in gradient "
        "computation.\n  [Hint: Expected tensor_version == wrapper_version_snapshot, but received tensor_version:2 != wrapper_version_snapshot:1.]"
    )


def test_a_tensor_of_another_package_is_refused_by_its_package() -> None:
    x, y = paddle.ones([2]), torch.ones(2)
    for call in (
        lambda: x + y,
        lambda: y + x,
        lambda: x @ y,
        lambda: x.add_(y),
        lambda: x < y,
    ):
        assert "share no storage and no history" in _said(call, TypeError)
    assert (x == y, x != y) == (False, True)


@pytest.mark.parametrize(("name", "meant"), [("require_grad", "requires_grad"), ("stop_gradients", "stop_gradient")])
def test_an_attribute_that_is_misspelled_is_set_with_a_warning(name: str, meant: str) -> None:
    x = paddle.ones([2])
    assert not hasattr(x, name)
    with pytest.warns(UserWarning, match=f"Did you mean `{meant}`"):
        setattr(x, name, True)
    assert getattr(x, name) is True

"""The reference: a page for each part of the package, with an entry for every public name, from which Sphinx reads its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import inplacelab
from inplacelab.language import Text
from inplacelab.ops.table import ROWS
from inplacelab.ops.table.printed import KINDS, OTHERS

FOLDER = "reference"


@dataclass(frozen=True)
class Page:
    """A page of the reference.

    Attributes:
        key: its name in the folder `reference`.
        title: its heading.
        says: a sentence below that.
        modules: the modules whose public names it has.
    """

    key: str
    title: Text
    says: Text
    modules: tuple[str, ...]


PAGES = (
    Page("recording", Text("Record and explain", "记录与解释"),
         Text("A recording is plain data. It answers questions; no tensor of the program is needed for that.",
              "记录是普通的数据，可以直接提问，不再需要程序里的张量。"),
         ("inplacelab.recording", "inplacelab.recording.queries", "inplacelab.recording.quiz", "inplacelab.recording.fixes")),
    Page("widgets", Text("Steppers, pages and pictures", "逐步查看的图、网页与图片"),
         Text("What draws a recording, in a notebook or into a file.", "把记录画出来：在笔记本里，或者写成文件。"),
         ("inplacelab_widgets",)),
    Page("autograd", Text("Gradients", "梯度"),
         Text("Gradient modes, custom operations and checks of derivatives.", "梯度模式、自定义操作与导数检查。"),
         ("inplacelab.autograd",)),
    Page("nn", Text("Layers and losses", "网络层与损失函数"),
         Text("PaddlePaddle's names, made of the operations.", "PaddlePaddle 的名字，由各操作组成。"),
         ("inplacelab.nn", "inplacelab.nn.functional", "inplacelab.nn.initializer")),
    Page("optimizer", Text("Optimizers and data", "优化器与数据"),
         Text("Optimizers, learning rates, regularizers and data loaders.", "优化器、学习率、正则项与数据加载。"),
         ("inplacelab.optimizer", "inplacelab.optimizer.lr", "inplacelab.regularizer", "inplacelab.io")),
    Page("device", Text("Devices and kernels", "设备与核函数"),
         Text("The CPU, a GPU, a simulated GPU; and kernels to read, fuse and run.", "CPU、GPU、模拟 GPU，以及可以阅读、融合、运行的核函数。"),
         ("inplacelab.device", "inplacelab.device.cuda", "inplacelab.kernels")),
    Page("distributed", Text("Several processes", "多进程"),
         Text("Collectives in place, over MPI.", "原地的集合通信，经由 MPI。"), ("inplacelab.distributed",)),
    Page("torch", Text("PyTorch's names", "PyTorch 的名字"),
         Text("`import inplacelab.torch as torch`: what is not generated from the operations. `python -m inplacelab.torch` lists all names.",
              "`import inplacelab.torch as torch`：不由操作生成的部分。`python -m inplacelab.torch` 列出全部名字。"),
         ("inplacelab.torch",)),
    Page("teaching", Text("Lessons and languages", "课程与语言"),
         Text("What the lessons use, and texts in two languages.", "课程所用的工具，以及双语文本。"),
         ("inplacelab.lessons", "inplacelab.lessons.differences", "inplacelab.language")),
)  # fmt: skip
"""The pages beside those of the operations, of `Tensor`, of the top-level names and of the refusals."""

_REFERENCE = Text("Reference", "参考")
_ABOUT = Text(
    "Every public name. The names of tensors and operations are PaddlePaddle's. A docstring says what backward keeps.",
    "每一个公开的名字。张量与操作用的是 PaddlePaddle 的名字；文档说明反向传播保存什么。除操作之外，文档字符串只有英文。",
)
_TENSOR = Text("Tensor", "张量")
_AS_FUNCTIONS = Text("These functions are methods, too:", "下列函数也是方法：")
_TOP = Text("Top-level names", "顶层名字")
_OPERATIONS = Text("Operations: {0}", "操作：{0}")
_COMPOSED = Text("made of other operations", "由其他操作组成")
_REFUSALS = Text("Refusals", "拒绝")
_REFUSALS_ABOUT = Text(
    "The exceptions, each with its reason and a fix in the message.", "各种异常；消息里写明原因与改法。"
)


def write(language: str) -> Iterator[tuple[str, str]]:
    """Yields the pages of the reference: each page's name, with its suffix, and its text."""
    written = [_tensor(language), _top(language), *_operations(language)]
    written += [(page.key, _page(page, language)) for page in PAGES]
    written.append(("errors", _errors(language)))
    listed = "\n".join(key for key, _ in written)
    about = f"# {_REFERENCE.in_language(language)}\n\n{_ABOUT.in_language(language)}\n"
    yield f"{FOLDER}/index.md", f"{about}\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    for key, text in written:
        yield f"{FOLDER}/{key}.rst", text


def public_names(module: ModuleType) -> list[str]:
    """The names that a module offers, modules among them left out: they have pages of their own."""
    names = getattr(module, "__all__", None) or [
        name for name, member in vars(module).items() if _is_own(module, name, member)
    ]
    return sorted((name for name in names if not inspect.ismodule(getattr(module, name))), key=str.lower)


def _is_own(module: ModuleType, name: str, member: object) -> bool:
    return not name.startswith("_") and getattr(member, "__module__", None) == module.__name__


def _page(page: Page, language: str) -> str:
    parts = [_heading(page.title.in_language(language)), _rst(page.says.in_language(language))]
    if page.key == "recording":
        parts += [
            _entry("inplacelab", name, inplacelab)
            for name in ("record", "explain", "show", "shares_storage", "last_recording")
        ]
    for name in page.modules:
        module = import_module(name)
        if len(page.modules) > 1:
            parts.append(_heading(f"``{name}``", "-"))
        parts += [_entry(name, each, module) for each in public_names(module)]
    return "\n".join(parts)


def _tensor(language: str) -> tuple[str, str]:
    tensor = inplacelab.Tensor
    members = [name for name in dir(tensor) if not name.startswith("_")]
    own = [name for name in members if name not in inplacelab.__all__]
    parts = [_heading(_TENSOR.in_language(language)), ".. currentmodule:: inplacelab\n", ".. autoclass:: Tensor\n"]
    parts += [_member(tensor, name) for name in own]
    shared = " ".join(f":py:func:`~inplacelab.{name}`" for name in members if name in inplacelab.__all__)
    return "tensor", "\n".join([*parts, f"\n{_AS_FUNCTIONS.in_language(language)} {shared}\n"])


def _member(tensor: type, name: str) -> str:
    member = inspect.getattr_static(tensor, name)
    kind = (
        "autoproperty"
        if isinstance(member, property)
        else "automethod"
        if callable(getattr(tensor, name))
        else "autoattribute"
    )
    return f"   .. {kind}:: Tensor.{name}\n"


def _top(language: str) -> tuple[str, str]:
    elsewhere = {
        *_of_the_table(),
        *_composed(),
        "Tensor",
        "record",
        "explain",
        "show",
        "shares_storage",
        "last_recording",
    }
    names = [name for name in public_names(inplacelab) if name not in elsewhere]
    entries = [_entry("inplacelab", name, inplacelab) for name in names]
    return "top", "\n".join([_heading(_TOP.in_language(language)), *entries])


def _operations(language: str) -> Iterator[tuple[str, str]]:
    """A page for each kind of operation, with all variants of a row next to each other."""
    kinds = _of_the_table()
    for kind, title in {**KINDS, "others": OTHERS, "composed": _COMPOSED}.items():
        names = _composed() if kind == "composed" else [name for name, its in kinds.items() if its == kind]
        heading = _OPERATIONS.format(title).in_language(language)
        entries = [_entry("inplacelab", name, inplacelab) for name in sorted(names)]
        yield f"operations_{kind}", "\n".join([_heading(heading), *entries])


def _of_the_table() -> dict[str, str]:
    """The functions that are variants of a row, with the kind of the row."""
    kinds = {}
    for name in inplacelab.__all__:
        row = ROWS.get(name.removesuffix("_")) or ROWS.get(name)
        if row is not None and inspect.isfunction(getattr(inplacelab, name)):
            kinds[name] = row.kind if row.kind in KINDS else "others"
    return kinds


def _composed() -> list[str]:
    found = _of_the_table()
    functions = inplacelab.ops.FUNCTIONS
    return [name for name in inplacelab.__all__ if name in functions and name not in found]


def _errors(language: str) -> str:
    module = import_module("inplacelab.errors.classes")
    entries = [_entry(module.__name__, name, module) for name in public_names(module)]
    return "\n".join([_heading(_REFUSALS.in_language(language)), _rst(_REFUSALS_ABOUT.in_language(language)), *entries])


def _entry(home: str, name: str, module: Any) -> str:
    """The directive for a name: a class with its members, a function, or a value."""
    member = getattr(module, name)
    if inspect.isclass(member):
        return _class(home, name, member)
    if callable(member) and hasattr(member, "__name__"):
        return f".. autofunction:: {home}.{name}\n"
    return f".. py:data:: {name}\n   :module: {home}\n   :value: {_plain(member)}\n"


def _class(home: str, name: str, member: type) -> str:
    """A class with its members; one that is also a top-level name, or another package's, is described there."""
    package = ".".join(member.__module__.split(".")[:2])
    elsewhere = package.startswith("inplacelab.") and not member.__module__.startswith(home)
    for other in ("inplacelab", package) if home != "inplacelab" else ():
        if (
            other != home
            and (other == "inplacelab" or elsewhere)
            and getattr(import_module(other), name, None) is member
        ):
            return f".. py:class:: {home}.{name}\n\n   :py:class:`{other}.{name}`\n"
    without = ", ".join(
        each
        for each in dir(member)
        if not each.startswith("_") and not _has_signature(inspect.getattr_static(member, each))
    )
    return f".. autoclass:: {home}.{name}\n   :members:\n" + (f"   :exclude-members: {without}\n" if without else "")


def _has_signature(member: object) -> bool:
    """Whether Python can say how it is called: a keyword named `from`, as PyTorch has it, is no name in Python."""
    try:
        return not inspect.isroutine(member) or inspect.signature(member) is not None
    except (TypeError, ValueError):
        return False


def _plain(member: object) -> str:
    """A value in one line."""
    words = " ".join(repr(member).split())
    return words if len(words) <= 80 else f"{words[:77]}..."


def _heading(text: str, line: str = "=") -> str:
    return f"{text}\n{line * (2 * len(text))}\n"


def _rst(text: str) -> str:
    return text + "\n"

"""Shows existing tensors in one picture: what they share, and what the graph behind them has saved; and where a block may write in place."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Any

from inplacelab.language import Text, get_language
from inplacelab.recorders import existing
from inplacelab.recorders.existing import names_of
from inplacelab.recorders.run import record
from inplacelab.recorders.static import class_name
from inplacelab.recording.places import file_label
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import Advice, advice
from inplacelab.recording.sentences import sentence
from inplacelab.recording.sentences.phrases import closed_up, joined
from inplacelab.recording.sentences.savings import lines
from inplacelab.recording.stacks import shown_file

__all__ = ["advise", "show"]

_NOTHING = Text(
    "`show` was given nothing: pass tensors, or what holds tensors: `show(x, y)`, `show(model, optimizer)`.",
    "`show` 没有收到任何参数：请传入张量，或包含张量的对象：`show(x, y)`、`show(model, optimizer)`。",
)
_NO_TENSORS = Text("There is no tensor in {0}.", "{0}中没有张量。")
_SEARCHED = Text(
    "`show` looks for tensors of this package, of PyTorch and PaddlePaddle and for NumPy arrays, also in lists, "
    "tuples, dictionaries, modules and optimizers. Pass other tensors directly: `show(thing.x)`; from an iterator: "
    "`show(*model.parameters())`.",
    "`show` 查找本包、PyTorch 与 PaddlePaddle 的张量以及 NumPy 数组，也会在列表、元组、字典、模块和优化器中查找。别处的张量请直接传入："
    "`show(thing.x)`；迭代器中的张量请写成 `show(*model.parameters())`。",
)
_ONE_EMPTY = Text("`{0}` (of type {1})", "`{0}`（类型为 {1}）")
_NO_PICTURE = Text(
    "For tables and a picture, install inplacelab again: its package inplacelab_widgets is missing here ({0}).",
    "要看表格和图，请重新安装 inplacelab：这里缺少它的 inplacelab_widgets 包（{0}）。",
)

_COUNTED = Text(
    "Lines without a cell or a file are counted within the `with` block. Its line 1 is line {0} of {1}.",
    "凡是没有写明单元格或文件的行号，都从 `with` 代码块的第 1 行数起，这一行是{1} 的第 {0} 行。",
)
_COUNTED_HERE = re.compile(r"\blines? [\d, andto]*\d(?!\d| of )")
"""A line that is said without a cell or a file."""


def show(*tensors: Any, **named: Any) -> None:
    """Shows existing tensors as they are now: who shares whose storage, strides, offsets, versions, values, and what the graph behind
    them has saved, and whether that is stale. In a notebook this is a picture, elsewhere text. Looking changes nothing: no version is
    raised, no grad node is made, and no tensor is kept alive.

    Args:
        *tensors: tensors of this package, of PyTorch or PaddlePaddle, NumPy arrays, or what holds them: lists, tuples, dictionaries,
            modules, optimizers. They are called as the call calls them. Or a single recording, which is shown instead.
        **named: more of these, with names of their own.

    Raises:
        TypeError: if nothing was given, or no tensor is in what was given.
        ValueError: if none of the tensors can be shown; the message says why.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([[1., 2.], [3., 4.]])
    >>> row = x[1]
    >>> paddle.show(x, row)
    x and row share storage S0.
    <BLANKLINE>
    Storages
      storage  bytes  dtype    device  version  values
      S0       16     float32  cpu     v0       1, 2, 3, 4
    <BLANKLINE>
    Tensors
      tensor  storage  shape   strides  offset  dtype    kind       stop_gradient
      x       S0       [2, 2]  [2, 1]   0       float32  leaf       True
      row     S0       [2]     [1]      2       float32  view of x  True
    """
    if not tensors and not named:
        raise TypeError(str(_NOTHING))
    if len(tensors) == 1 and not named and (recording := _recording_in(tensors[0])) is not None:
        _show_recording(recording)
        return
    names = names_of(sys._getframe(1), tensors, named)
    for place, each in enumerate(_recordings({**dict(zip(names, tensors, strict=True)), **named})):
        if place and not _is_notebook():
            print()
        _show_picture(each)


def _recording_in(value: Any) -> Recording | None:
    found = value.recording if type(value) is record else value
    return found if isinstance(found, Recording) else None


def _recordings(given: dict[str, Any]) -> list[Recording]:
    """Returns a recording for each framework that the given tensors belong to. The first one says what concerns all of them."""
    empty = [name for name, value in given.items() if not existing.find({name: value})]
    said = [_ONE_EMPTY.format(name, class_name(type(given[name]))) for name in empty]
    missing = [_NO_TENSORS.format(each) for each in said]
    if len(empty) == len(given):
        raise TypeError(str(joined([missing[0], _SEARCHED])))
    found = existing.find(given)
    recordings = existing.recordings_of(found)
    shown = [each for each in recordings if each.steps[0].tensors]
    if not shown:
        raise ValueError(str(joined([note for each in recordings for note in each.notes])))
    left_out = [note for each in recordings if each not in shown for note in each.notes]
    notes = (*missing, *left_out, *existing.across(found), *shown[0].notes)
    return [replace(shown[0], notes=notes), *shown[1:]]


def _show_picture(recording: Recording) -> None:
    language = get_language()
    try:
        from inplacelab_widgets.shown_tensors import look_html, look_text
    except ImportError as missing:
        for said in (sentence(recording, 0), *recording.notes, _NO_PICTURE.format(missing.name)):
            print(said)
        return
    text = look_text(recording, language)
    _give(text, lambda: look_html(recording, language))


def _show_recording(recording: Recording) -> None:
    from inplacelab_widgets import to_text

    text = to_text(recording)
    if not _is_notebook():
        print(text.rstrip("\n"))
        return
    from IPython.display import display

    try:
        from inplacelab_widgets import Stepper
    except ImportError:  # of what widgets need
        from inplacelab_widgets.exports import still_html
        from inplacelab_widgets.scene import scene_of

        display({"text/plain": text, "text/html": still_html(scene_of(recording), get_language())}, raw=True)
        return
    display(Stepper(recording))


def _give(text: str, html: Any) -> None:
    """Prints a text, or displays HTML where that can be shown, with the text for those that cannot see it."""
    if _is_notebook():
        from IPython.display import display

        display({"text/plain": text, "text/html": html()}, raw=True)
    else:
        print(text.rstrip("\n"))


class advise(record):  # noqa: N801  # used like a function
    """Tells where a `with` block may write in place, and what that saves, when it ends: in a notebook with a picture of the live bytes.

    The block is recorded (see `record`, which takes the same arguments), and nothing is run again: what is said is not tried. What is
    alive after the block may be read later, and so may not be overwritten.

    Attributes:
        advice: what was found out; None before the block has ended, and if it raised an error.

    >>> import inplacelab as paddle
    >>> with paddle.advise() as found:  # doctest: +SKIP
    ...     loss = train(model)
    """

    _follows = True
    advice: Advice | None = None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._end(error, sys._getframe(1))
        if error is None and self.recording is not None:
            self.advice = advice(self.recording, ends=False)
            program = self._session.program
            if any(_COUNTED_HERE.search(each.en) for each in lines(self.advice)):
                print(closed_up(_COUNTED.format(program.first_line, file_label(shown_file(program.filename)))))
            show_advice(self.advice)


def show_advice(found: Advice) -> None:
    """Prints where a program may write in place; in a notebook with a picture of its live bytes."""
    for said in lines(found):
        print(said)
    if not _is_notebook() or not len(found.recording):
        return
    from IPython.display import display

    try:
        from inplacelab_widgets.exports import image
        from inplacelab_widgets.savings_picture import savings_svg, title
    except ImportError:
        return
    alternative = str(title(found))
    display({"text/plain": alternative, "text/html": image(savings_svg(found), alternative)}, raw=True)


def _is_notebook() -> bool:
    """Whether the program runs in a notebook: in IPython with a front end that draws."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and class_name(type(shell)) not in ("InteractiveShell", "TerminalInteractiveShell")

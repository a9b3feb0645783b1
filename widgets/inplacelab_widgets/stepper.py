"""The stepper: a notebook widget with all panels of a recording beside its code; and views of each of its panels on its own.

Every view is an ordinary widget with the same traits: views can be put in an `HBox` or `VBox`, observed from Python and
linked with `jslink`. A view made from another view shares its recording and follows its step, also without a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import traitlets
from IPython import get_ipython
from ipywidgets import jslink

from inplacelab.gc_pause import gc_paused
from inplacelab.language import Text, get_language
from inplacelab.recording.quiz import Question
from inplacelab.recording.recording import Recording
from inplacelab_widgets import exports, sharing
from inplacelab_widgets.exports import questions_for, still_html
from inplacelab_widgets.live_widget import LiveWidget, folded
from inplacelab_widgets.page import packed_json
from inplacelab_widgets.player_bundle import packed_javascript
from inplacelab_widgets.scene import EVERYTHING, Scene, opening_mode, opening_step, panels_of, scene_of
from inplacelab_widgets.scene.focus import threads
from inplacelab_widgets.scene.payload import Extent, payload
from inplacelab_widgets.scene.payload_parts import in_both_languages

__all__ = [
    "Attempt",
    "GraphView",
    "MemoryView",
    "MetadataView",
    "SavingAttempt",
    "Stepper",
    "StorageView",
    "Trying",
    "VersionView",
    "View",
    "fails_untried",
]


_TRY = Text("Try these fixes", "尝试这些改法")
_LOOK = Text("Look for a fix", "寻找改法")
_CANCEL = Text("Cancel", "取消")
_ASKS = Text(
    "To check, the cells so far run again, in other processes and an empty folder:",
    "检验时会在其他进程和空文件夹中重新运行目前所有的单元格：",
)
_BEGINS = Text("Running the cells again …", "正在重新运行单元格……")
_CANCELED = Text("Canceled, so nothing was checked.", "已取消，未作检验。")
_BROKE = Text("No fix was tried: {0} in the search.", "没有尝试改法：搜索中出现 {0}。")
_TRY_TO_SAVE = Text("Try", "试验")
_ASKS_TO_SAVE = Text(
    "Not tried, only computed from this recording. To try it, the cells so far run again, in other processes and an empty folder, at most {0} times:",
    "未经试验，仅由这份记录算出。试验时会在其他进程和空文件夹中重新运行目前所有的单元格，最多 {0} 次：",
)
_BROKE_IN_SAVING = Text("Nothing was tried: {0} in the search.", "没有尝试：搜索中出现 {0}。")
_NOTHING = Text("", "")


class Attempt(Protocol):
    """Tries fixes for a recorded program, in other processes."""

    def __call__(self, recording: Recording, tell: Callable[[Text], None], stop: Event, /) -> Recording | Text:
        """Tries them.

        Args:
            recording: the recording.
            tell: called with what is done next.
            stop: ends the search when it is set.

        Returns:
            The recording with the fixes that work; or a sentence, if none does or none could be tried.
        """


Reported = tuple[Sequence[Text], str]
"""The lines of a report, and edits as `diff -u` shows them."""


class SavingAttempt(Protocol):
    """Tries where the program of a recording may write in place, in other processes.

    Attributes:
        most_runs: the largest number of runs of the program.
    """

    most_runs: int

    def __call__(self, tell: Callable[[Text], None], stop: Event, /) -> Reported | Text:
        """Tries it.

        Args:
            tell: called with what is done next.
            stop: ends the search when it is set.

        Returns:
            What was found out; or a sentence, if nothing could be tried.
        """


def fails_untried(recording: Recording) -> bool:
    """Whether a recording ends with a backward pass that failed, and no fix for it was checked."""
    last = recording.steps[-1]
    return last.error is not None and last.phase == "backward" and not any(fix.checked for fix in last.error.fixes)


_Found = TypeVar("_Found")


class Trying(Generic[_Found]):
    """Has edits tried in a thread, each time that the button is pressed; pressed again before that has ended, it ends that.

    Args:
        attempt: tries them. What it returns is a sentence if none works or none could be tried.
        say: shows a text, and what is on the button; without words there is no button.
        found: takes what else the attempt returns.
        words: what is shown first, what is on the button, and what is said of an exception.
    """

    def __init__(
        self,
        attempt: Callable[[Callable[[Text], None], Event], _Found | Text],
        say: Callable[[Text, Text], None],
        found: Callable[[_Found], None],
        words: tuple[Text, Text, Text],
    ) -> None:
        self._attempt, self._say, self._found = attempt, say, found
        asks, self._offer, self._broke = words
        self._stop: Event | None = None
        say(asks, self._offer)

    def press(self) -> None:
        """Begins, or cancels what has begun."""
        if self._stop is not None:
            self._stop.set()
            return
        self._stop = Event()
        self._say(_BEGINS, _CANCEL)
        Thread(target=self._run, args=(self._stop,), daemon=True).start()

    def cancel(self) -> None:
        """Ends what has begun."""
        if self._stop is not None:
            self._stop.set()

    def _go_on(self, doing: Text) -> None:
        self._say(Text(f"{doing.en[:1].upper()}{doing.en[1:]} …", f"{doing.zh}……"), _CANCEL)

    def _run(self, stop: Event) -> None:
        try:
            came = self._attempt(self._go_on, stop)
        except Exception as error:  # noqa: BLE001  # nobody would see it in a thread
            came = self._broke.format(type(error).__name__)
        self._stop = None
        if not isinstance(came, Text):
            self._found(came)
            self._say(_NOTHING, _NOTHING)
        elif stop.is_set():
            self._say(_CANCELED, self._offer)
        else:
            self._say(came, self._offer)


FEW_STEPS = 40
"""A recording of at most this many steps is packed at once, and sent with the widget if it is small."""
MOST_BYTES = 17_500
"""The most bytes of a payload that is sent with the widget, and so is saved with a notebook."""

MANY_STEPS = 1000
"""In the first picture of a longer recording, the panels below the code and the storages are empty: to lay them out takes too long."""
ROOM_FOR_PANEL = 0.7
"""The part of `MOST_BYTES` that the rest of a first picture may take, so that a panel below it has room."""

_SHARED = ("step", "language", "mode", "selection", "follow")
"""The traits that a view shares with the view that it was made from."""


class View(LiveWidget):
    """Some panels of a recording, played in the notebook.

    The browser asks for the whole recording after it has drawn the first picture; from then on, stepping needs no kernel. The traits
    follow what the reader does, and setting them moves the view.

    Args:
        shown: the recording to show; or another view, to show more of its recording and follow its step.
        step: the step to open at, counted from 0; negative numbers count from the end. By default the step of the
            other view, or the most telling step (see `scene.key_step`); with `predict` the beginning.
        panels: the panels to show, out of "code", "storages", "elements", "graph", "lanes" and "memory".
        toolbar: whether to show controls and the sentence of the step. By default yes, unless `shown` is a view.
        predict: True to ask what a step will do before it is shown; or the questions to ask, as
            `inplacelab.recording.quiz.quiz` chooses them.
        attempt: what tries fixes if the reader presses a button, at a backward pass that failed; without it there is no button.
        saving: what tries where the program may write in place, if the reader presses a button; without it there is no button.
        traits: initial values of other traits.

    Raises:
        ValueError: if the recording has no steps, there is no such panel, or a question is about a step that does not
            exist.
        traitlets.TraitError: if there is no such step, or no tensor has the name to follow.
    """

    _esm = packed_javascript()
    _panels: ClassVar[tuple[str, ...]] = EVERYTHING
    _trying: Trying[Recording] | None = None
    _trying_to_save: Trying[Reported] | None = None
    find_attempt: ClassVar[Callable[[object], Attempt | None]] = staticmethod(lambda _: None)
    """Returns what tries fixes for what is shown, if nothing is given; None if nothing can. A notebook's extension sets it."""
    find_saving: ClassVar[Callable[[object], SavingAttempt | None]] = staticmethod(lambda _: None)
    """Returns what tries where what is shown may write in place, likewise."""

    step = traitlets.Int(0, help="The step shown, counted from 0.").tag(sync=True)
    n_steps = traitlets.Int(0, read_only=True, help="How many steps there are.").tag(sync=True)
    mode = traitlets.Enum(
        ("event", "line"), "event", help="What the arrow keys and the slider step by: 'event' or 'line'."
    ).tag(sync=True)
    selection = traitlets.Unicode(
        "", help="What is kept lit: a tensor 't3', storage 's1', slot 's1:4' or grad node 'n2'; '' for nothing."
    ).tag(sync=True)
    predict = traitlets.Bool(False, help="Whether steps are asked about before they are shown.").tag(sync=True)
    answers: traitlets.List[dict[str, Any]] = traitlets.List(
        help="What was answered, in order: for each question a dict with its 'step' and 'kind', with 'chosen', the positions "
        "of the options chosen, and 'right', whether they were; both None for a question that was skipped."
    ).tag(sync=True)
    follow = traitlets.Unicode(
        "", help="The name of a tensor whose storages stay in full while the others are named in one line; '' for none."
    ).tag(sync=True)
    panels = traitlets.Tuple(read_only=True, help="What is shown, by name.").tag(sync=True)
    toolbar = traitlets.Bool(True, read_only=True, help="Whether there are controls and a sentence.").tag(sync=True)
    _code_above = traitlets.Bool(
        False,
        help="Whether the cell that shows the view has the program: then the lines around the present one are enough.",
    ).tag(sync=True)
    _tells_ahead = traitlets.Bool(
        True,
        help="Whether the steps to come are named before the reader has reached them: not where a lesson asks what happens.",
    ).tag(sync=True)
    _payload = traitlets.Unicode(help="The whole payload if it is small, otherwise that of the first picture.").tag(
        sync=True
    )
    _trial: traitlets.List[list[str]] = traitlets.List(
        help="What is said of fixes that were not tried, and on the button for that, each in both languages; nothing where they cannot be."
    ).tag(sync=True)

    _saving: traitlets.Dict[str, Any] = traitlets.Dict(
        help="What is said of a trial of where the program may write in place, and on its button, in both languages; and the report of one that has ended."
    ).tag(sync=True)

    @gc_paused()
    def __init__(
        self,
        shown: Recording | View,
        step: int | None = None,
        *,
        panels: tuple[str, ...] | None = None,
        toolbar: bool | None = None,
        predict: bool | Iterable[Question] = False,
        attempt: Attempt | None = None,
        saving: SavingAttempt | None = None,
        **traits: Any,
    ) -> None:
        other = shown if isinstance(shown, View) else None
        # A view or a `record` block has a recording: accept either in its place.
        self._recording: Recording = getattr(shown, "recording", shown)
        self._scene: Scene = other._scene if other else scene_of(self._recording)
        chosen = _existing_panels(self._panels if panels is None else panels)
        if panels is None and len(chosen) > 1:
            chosen = tuple(name for name in chosen if name in panels_of(self._recording))
        self.set_trait("n_steps", len(self._recording))
        self.set_trait("panels", chosen)
        self.set_trait("toolbar", other is None if toolbar is None else toolbar)
        shared = {name: getattr(other, name) for name in _SHARED} if other else {"language": get_language()}
        if predict is not False:
            self._questions = self._asked(predict)
        if step is None and other is None:
            step = opening_step(self._scene.recording, self._questions if predict is not False else None)
        if other is None:
            shared["mode"] = opening_mode(self._scene.recording)
        given = shared | traits | ({} if step is None else {"step": step})
        super().__init__(predict=predict is not False, _code_above=_is_in_cell(self._recording.source), **given)
        self._payload = self._first()
        attempt = attempt or View.find_attempt(shown)
        if attempt is not None and fails_untried(self._recording):
            error = self._recording.steps[-1].error
            words = _ASKS, _TRY if error is not None and error.fixes else _LOOK, _BROKE
            self._trying = Trying(partial(attempt, self._recording), self._say_of_fixes, self._retell, words)
        saving = saving or View.find_saving(shown)
        if saving is not None:
            words = _ASKS_TO_SAVE.format(saving.most_runs), _TRY_TO_SAVE, _BROKE_IN_SAVING
            self._trying_to_save = Trying(saving, self._say_of_saving, self._report_saving, words)
        self.on_msg(self._answer)
        # In the browser, so that it works without a Python process, too.
        self._links = [jslink((other, name), (self, name)) for name in _SHARED] if other else []

    def _asked(self, predict: bool | Iterable[Question]) -> tuple[Question, ...]:
        """The questions; none without controls."""
        return questions_for(self._recording, predict) if self.toolbar else ()

    @cached_property
    def _questions(self) -> tuple[Question, ...]:
        """What is asked if the reader asks for questions. Choosing them takes time, so the first picture does not wait for them."""
        return self._asked(False)

    def _first(self) -> str:
        """What is sent with the widget, and is saved with a notebook."""
        if len(self._recording) <= FEW_STEPS and len(self._whole) <= MOST_BYTES:
            return self._whole
        sent = self._at_step("brief")
        if len(self._recording) > MANY_STEPS or len(sent) > ROOM_FOR_PANEL * MOST_BYTES:
            return sent
        full = self._at_step("full")
        return full if len(full) <= MOST_BYTES else sent

    def _at_step(self, extent: Extent) -> str:
        """The picture of the present step alone."""
        questions = self._questions if self.predict else ()
        return packed_json(
            payload(
                self._scene,
                questions,
                panels=self.panels,
                only=self.step,
                extent=extent,
                follow=self.follow,
                mode="line" if self.mode == "line" else "event",
            )
        )

    @cached_property
    def _whole(self) -> str:
        with gc_paused():
            return packed_json(payload(self._scene, self._questions, panels=self.panels))

    def _answer(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Sends the whole payload as a message, which no notebook saves. The player asks for it after the first picture. Of a long recording
        it takes seconds, so the panels that were left out come before it.
        """
        if content == {"want": "trial"} and self._trying is not None:
            self._trying.press()
        if content == {"want": "savings"} and self._trying_to_save is not None:
            self._trying_to_save.press()
        if content != {"want": "whole"}:
            return
        if len(self._recording) > MANY_STEPS and "_whole" not in vars(self):
            with gc_paused():
                self.send({"whole": self._at_step("full")})
        self.send({"whole": self._whole})

    def _say_of_fixes(self, *said: Text) -> None:
        self._trial = [[each.en, each.zh] for each in said] if any(each.en for each in said) else []

    def _say_of_saving(self, says: Text, button: Text) -> None:
        said = {"says": in_both_languages(says), "button": in_both_languages(button)} if button.en else {}
        self._saving = said or {key: each for key, each in self._saving.items() if key in ("report", "diff")}

    def _report_saving(self, found: Reported) -> None:
        lines, diff = found
        self._saving = {"report": [in_both_languages(each) for each in lines], "diff": diff}

    def _retell(self, recording: Recording) -> None:
        """Shows a recording of the same steps that says more of them."""
        self._recording, self._scene = recording, scene_of(recording)
        self.__dict__.pop("_whole", None)
        self._payload = self._first()

    def close(self) -> None:
        """Closes the view; what has begun to be tried ends."""
        for trying in (self._trying, self._trying_to_save):
            if trying is not None:
                trying.cancel()
        super().close()

    @property
    def recording(self) -> Recording:
        """The recording that is shown."""
        return self._recording

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions asked while `predict` is on, in the order of the steps; empty without controls."""
        return self._questions

    @traitlets.validate("step")
    def _existing_step(self, proposal: Any) -> int:
        step, count = int(proposal["value"]), len(self._recording)
        if not -count <= step < count:
            raise traitlets.TraitError(f"there is no step {step}: this recording has {count} steps, 0 to {count - 1}")
        return step % count

    @traitlets.validate("follow")
    def _existing_name(self, proposal: Any) -> str:
        names = [thread.name for thread in threads(self._recording)]
        if (name := str(proposal["value"])) and name not in names:
            raise traitlets.TraitError(f"no tensor is called {name!r}; there are: {', '.join(names) or 'none'}")
        return name

    @property
    def _only(self) -> tuple[str, ...] | None:
        """The panels to export; None for all of them, which have a combined picture."""
        return None if set(self.panels) == set(panels_of(self._recording)) else tuple(self.panels)

    def to_svg(self, step: int | None = None, language: str | None = None) -> str:
        """Returns a still picture of one step, or of the key steps; see `inplacelab_widgets.to_svg`."""
        return exports.to_svg(self._scene, step, language or self.language, panels=self._only)

    def to_png(
        self, step: int | None = None, path: str | Path | None = None, *, scale: float = 2, language: str | None = None
    ) -> bytes:
        """Returns the same picture as PNG; needs the extra `png`. See `inplacelab_widgets.to_png`."""
        chosen = language or self.language
        return exports.to_png(self._scene, step, path, scale=scale, language=chosen, panels=self._only)

    def to_card(self, step: int | None = None, path: str | Path | None = None, *, language: str | None = None) -> bytes:
        """Returns a step as a PNG of 1200 x 675 pixels, to be shared; needs the extra `png`. See `inplacelab_widgets.to_card`."""
        return sharing.to_card(self._scene, step, path, language=language or self.language)

    def to_gif(
        self,
        steps: Sequence[int] | None = None,
        path: str | Path | None = None,
        *,
        seconds: float | None = None,
        language: str | None = None,
    ) -> bytes:
        """Returns steps as an animated GIF, to be shared; needs the extra `share`. See `inplacelab_widgets.to_gif`."""
        return sharing.to_gif(self._scene, steps, path, seconds=seconds, language=language or self.language)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """Returns a page that plays the recording offline; see `inplacelab_widgets.to_html`."""
        questions = self._questions if self.predict else False
        return exports.to_html(
            self._scene, path, language=language or self.language, predict=questions, panels=self._only
        )

    def to_text(self, step: int | None = None, language: str | None = None) -> str:
        """Returns one step as plain text; see `inplacelab_widgets.to_text`."""
        return exports.to_text(self._scene, step, language or self.language, panels=self._only)

    def to_markdown(self, step: int | None = None, language: str | None = None) -> str:
        """Returns one step as Markdown; see `inplacelab_widgets.to_markdown`."""
        return exports.to_markdown(self._scene, step, language or self.language, panels=self._only)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._recording.title!r}, steps={len(self._recording)}, step={self.step})"

    def _static_copy(self) -> dict[str, str]:
        """The static copy: a picture, folded if the view does not show as much yet, and a line of text that does not change between runs."""
        with gc_paused():
            still = still_html(self._scene, self.language, self._only)
            if not self._tells_ahead or self.step < opening_step(self._recording):
                still = folded(still, self.language)
            return {"text/plain": repr(self), "text/html": still}


def _is_in_cell(source: str) -> bool:
    """Whether the notebook cell that runs has a program in it."""
    history = getattr(get_ipython(), "history_manager", None)
    cell = history.input_hist_raw[-1] if history is not None and history.input_hist_raw else ""
    lines = [line.strip() for line in cell.split("\n")]
    wanted = [line.strip() for line in source.rstrip().split("\n")]
    return any(lines[at : at + len(wanted)] == wanted for at in range(len(lines)))


_NO_PANEL = Text("there is no panel {0}: choose from {1}", "没有面板 {0}：可选的有 {1}")
_NO_CHOICE = Text("no panel is chosen: choose from {1}", "没有选择面板：可选的有 {1}")


def _existing_panels(panels: tuple[str, ...]) -> tuple[str, ...]:
    unknown = ", ".join(repr(name) for name in panels if name not in EVERYTHING)
    if unknown or not panels:
        wrong = (_NO_PANEL if unknown else _NO_CHOICE).format(unknown, ", ".join(EVERYTHING))
        raise ValueError(str(wrong))
    return tuple(name for name in EVERYTHING if name in panels)


class StorageView(View):
    """Shows storages: their slots and values, the tensors on them, their versions, and their saved tensors.

    >>> stepper = Stepper(recording)  # doctest: +SKIP
    >>> HBox([stepper, StorageView(stepper)])  # doctest: +SKIP
    """

    _panels = ("storages",)


class MetadataView(View):
    """Tensors as a program sees them: shape, strides and offset, and the slot of each element."""

    _panels = ("elements",)


class VersionView(View):
    """Shows the version of each storage over all steps, and the saved tensors that depend on it."""

    _panels = ("lanes",)


class GraphView(View):
    """The graph of grad nodes, how in-place operations rewrite it, and the progress of backward through it."""

    _panels = ("graph",)


class MemoryView(View):
    """Shows the bytes of the live storages over all steps, and their peak."""

    _panels = ("memory",)


class Stepper(View):
    """Steps through a recording in the notebook: the code, all panels, the sentence of each step, and the controls.

    `View` documents its arguments and traits.

    >>> stepper = Stepper(recording, predict=True)  # doctest: +SKIP
    >>> stepper.observe(lambda change: print(change["new"]), names=["step"])  # doctest: +SKIP
    """

"""Defines a framework: all that this package knows of one is in its object, which the folder of that framework in `frameworks/` makes.

No other code compares the name of a framework. It asks the object: how the framework is detected, what it calls things, which
recorder records its programs, how a trial runs them, how saved tensors are copied, what it does silently.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from inplacelab.language import Text

__all__ = [
    "Defects",
    "Framework",
    "InPlaceForms",
    "Terms",
    "framework_named",
    "framework_of",
    "frameworks",
    "loaded",
    "terms_of",
]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that texts about programs of one framework use. The defaults are Paddle's.

    Attributes:
        flag: the name of the gradient flag of a tensor; "" for a framework without gradients, whose texts do not mention
            leaves, flags, grad nodes or saved tensors.
        words: pairs (term in our texts, the framework's own term), in the order of replacement.
        moved: sentence for an operation {head} that moved the elements of the tensor {x} from {old} to {place}.
        letter: short form of "version", as "v" in "v1".
        version: column heading for a version.
        versions: heading of the panel with all versions.
        versions_and_bytes: heading of that panel if it shows bytes, too.
        rose: sentence for a write to a storage {0}, from version {1} to {2}, without its end.
        shared: the end of that sentence where several tensors {1} share the storage {0}.
        written: the same for writes by operations that are not steps.
        of_each: sentence with the versions of all storages.
        shows_saved: whether it shows what existing grad nodes have saved.
    """

    flag: str = "stop_gradient"
    words: tuple[tuple[str, str], ...] = ()
    moved: Text = Text(
        "{head} is in place in name only: {x} now points into {place} and has left {old} untouched.",
        "{head}只是名义上的原地操作：{x} 改为指向{place}，原来的 {old} 原封不动。",
    )
    letter: str = "v"
    version: Text = Text("version", "版本")
    versions: Text = Text("Versions", "版本")
    versions_and_bytes: Text = Text("Versions and bytes", "版本与字节")
    rose: Text = Text("Version of {0}: {1} → {2}", "{0} 的版本号：{1} → {2}")
    shared: Text = Text(", seen by {1}.", "，由 {1} 共享。")
    written: Text = Text("{0} was written (version {1} → {2})", "{0} 被写入（版本 {1} → {2}）")
    of_each: Text = Text("Version of each storage: {versions}.", "各存储的版本：{versions}。")
    shows_saved: bool = True

    @property
    def has_gradients(self) -> bool:
        """Whether it computes gradients."""
        return bool(self.flag)

    def in_framework_words(self, pattern: Text) -> Text:
        """Returns a text in the framework's terms: "No array has a name yet" for "No tensor has a name yet".

        Args:
            pattern: the text, before names of the program are filled in, since these must not change. `{placeholders}` stay.
        """
        en, zh = pattern.en, pattern.zh
        for ours, own in self.words:
            en, zh = (re.sub(r"(?<!\{)" + ours, own, text) for text in (en, zh))
        return Text(en, zh)

    def flagged(self, *, asks: bool) -> str:
        """Returns how a tensor's gradient flag is written: "stop_gradient=False", "requires_grad=True"."""
        return f"{self.flag}={asks if self.flag == 'requires_grad' else not asks}"

    def label(self, *versions: int) -> str:
        """Returns the versions of a storage as a short label: "v2", or "v2, v0" if it has several counters."""
        return ", ".join(f"{self.letter}{version}" for version in versions)


@dataclass(frozen=True, slots=True)
class Defects:
    """Grad nodes, by their names, whose derivative is another one than that of what the operation computed. It is so without a warning.

    Each is used to explain a gradient only if the paths that it leads to add up to the gradient that the framework returned.

    Attributes:
        windows: the gradients of overlapping windows that share a slot are written one over the other, where they should be added.
        offsets: the same, and the offset of a view is counted from the beginning of its tensor, not of the storage.
        weights: a weight that needs no gradient, the second operand, is taken for ones.
    """

    windows: frozenset[str] = frozenset()
    offsets: frozenset[str] = frozenset()
    weights: frozenset[str] = frozenset()


@dataclass(frozen=True)
class InPlaceForms:
    """How a framework writes operations in place. All names are those of recorded operations, without the underscore.

    Attributes:
        flagged: functions that write in place with `inplace=True`, each with the position of that argument.
        modules: classes of modules that do, the same.
        functions: functions that there are with an underscore: `torch.relu_`.
        functional: functions of `nn.functional` that there are with one: `F.relu_`.
        methods: methods of tensors that there are with one: `x.relu_()`.
        scalars: methods that write an operator with a number in place, by the operator's name: `x.scale_(2)` for "mul". {} stands for the number.
            "" if there is none. Of other operators, the method takes numbers, too.
        keeps_result: operations whose in-place form saves the result, where the ordinary form saves the operand. The in-place forms of all others
            that save their operand save a copy of it.
        rounds: those of them whose derivative has other last bits if it is computed from the result.
        either: operations that may overwrite the second operand as well as the first.
        augments: whether `x += y` writes in place.
        joins: operations that join tensors: one that is changed in one part, and joined again, may be written in that part alone.
        casts: operations that change the type of elements. They have no in-place form, which the report says.
    """

    flagged: Mapping[str, int] = field(default_factory=dict)
    modules: Mapping[str, int] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    functional: frozenset[str] = frozenset()
    scalars: Mapping[str, str] = field(default_factory=dict)
    methods: frozenset[str] = frozenset()
    keeps_result: frozenset[str] = frozenset()
    rounds: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    augments: bool = False
    joins: frozenset[str] = frozenset()
    casts: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> frozenset[str]:
        """All operations with an in-place form."""
        return frozenset({*self.flagged, *self.functions, *self.functional, *self.methods, *self.joins, *self.casts})


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework.

    Attributes:
        name: how programs import it, and how recordings and options call it: "torch".
        title: how people call it: "PyTorch"; "" for this package's own.
        rank: a program that uses several frameworks is taken for one of the framework with the lowest rank.
        imports: the modules with its code.
        alias: the name under which programs usually import it. Programs run unchanged under another framework with this alias.
        requires: what to install, by its name for pip; "" for what this package is or needs itself.
        tested: the version with which this package was tested; "" if that does not matter.
        is_beside: whether programs of other frameworks use it for what is no tensor, so that it is not said to be left out of them.
        terms: its terms.
        recorder: the class that records its programs, as "module:name". It is imported when a program uses the framework, as are the others.
        on_engine: the module that makes its calls on this package's engine (see `recorders/judging/judgment.Engine`); "" if its gradients are not compared.
        trial: what runs its programs for a trial of a fix (see `diagnosis/trial_run.Run`); "" if nothing does.
        right_forms: a mapping from its operations to which it may give wrong gradients to other ways to write them, as "module:name"; "" if none are known.
        replays: whether its programs run again in the same process from the values that they had (see `recorders/replay.py`).
        watch: the class that watches its programs with less than a recorder (see `diagnosis/explain.Watch`); "" if they are recorded instead.
        keeps_last: whether an explanation of a recorded program keeps only its last events, so that it may run for hours.
        copying: the statement that copies all that grad nodes save; "" if there is none that is right.
        takes_inputs: whether `backward(inputs=...)` computes the gradients of some leaves only.
        loses_history: whether it leaves history out silently, though the program has not asked for that.
        defects: its grad nodes that compute another derivative.
        in_place: how it writes operations in place.
        reports_writes: whether it tells of writes; those of others are found by comparing memory, which misses equal values.
    """

    name: str
    title: str
    rank: int
    imports: tuple[str, ...]
    recorder: str
    alias: str
    requires: str = ""
    tested: str = ""
    on_engine: str = ""
    is_beside: bool = False
    terms: Terms = Terms()
    trial: str = ""
    right_forms: str = ""
    replays: bool = False
    watch: str = ""
    keeps_last: bool = False
    copying: str = ""
    takes_inputs: bool = False
    loses_history: bool = False
    defects: Defects = Defects()
    in_place: InPlaceForms = field(default_factory=InPlaceForms)
    reports_writes: bool = True

    @property
    def is_installed(self) -> bool:
        """Whether it is found where Python looks for modules. Importing it may fail nevertheless."""
        try:
            return not self.requires or find_spec(self.name) is not None
        except ValueError:  # the program has put a module of its own there
            return True
        except ImportError:  # the program has blocked it
            return False

    @property
    def is_ours(self) -> bool:
        """Whether it is a part of this package."""
        return self.name.partition(".")[0] == __package__

    @property
    def is_watched(self) -> bool:
        """Whether programs can be watched while they run, however long that takes."""
        return bool(self.watch) or self.keeps_last

    @property
    def version(self) -> str:
        """The version that has been imported; "" if none has."""
        return str(getattr(sys.modules.get(self.name), "__version__", ""))

    @property
    def is_untested(self) -> bool:
        """Whether a version has been imported with which this package was not tested: another one than this or its patches."""
        major_and_minor = ".".join(self.version.split(".")[:2])
        return bool(self.tested and self.version) and major_and_minor != self.tested

    def is_left_out_by(self, other: Framework) -> bool:
        """Whether a recording of a program of another framework leaves out what the program does with this one."""
        around = other.name.startswith(f"{self.name}.")
        return self is not other and not self.is_beside and not around


def loaded(place: str) -> Any:
    """Returns an object by its place, "module:name"."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def frameworks() -> Mapping[str, Framework]:
    """Returns all frameworks by their names, in the order of their ranks: one for each folder in `inplacelab/frameworks`."""
    package = import_module("inplacelab.frameworks")
    inside = (each for path in package.__path__ for each in os.scandir(path))
    folders = {each.name for each in inside if os.path.isfile(os.path.join(each, "__init__.py"))}
    found: list[Framework] = [import_module(f"{package.__name__}.{each}").FRAMEWORK for each in folders]
    return {each.name: each for each in sorted(found, key=lambda each: each.rank)}


def framework_named(name: str) -> Framework | None:
    """Returns a framework by its name; None if there is none: a recording may be of one that is not known here."""
    return frameworks().get(name)


class _Recorded(Protocol):
    @property
    def framework(self) -> str: ...


def framework_of(recording: _Recorded) -> Framework:
    """Returns the framework that ran a recorded program. One that is not known here has nothing that others have not."""
    return framework_named(recording.framework) or Framework(
        recording.framework, recording.framework, 0, (), "", recording.framework
    )


def terms_of(recording: _Recorded) -> Terms:
    """Returns the terms of the framework that ran a recorded program."""
    return framework_of(recording).terms

"""Terms of each framework: what it calls a tensor and a version, and its gradient flag, if it has gradients."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inplacelab.language import Text
from inplacelab.recording.recording import Recording

__all__ = ["FRAMEWORKS", "Framework", "framework_of"]


@dataclass(frozen=True, slots=True)
class Framework:
    """The terms that texts about recordings of one framework use.

    Attributes:
        flag: the name of the gradient flag of a tensor; "" for a framework without gradients, whose texts do not mention
            leaves, flags, grad nodes or saved tensors.
        terms: pairs (term in our texts, the framework's own term), in the order of replacement.
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

    flag: str
    terms: tuple[tuple[str, str], ...]
    moved: Text
    letter: str
    version: Text
    versions: Text
    versions_and_bytes: Text
    rose: Text
    shared: Text
    written: Text
    of_each: Text
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
        for ours, own in self.terms:
            en, zh = (re.sub(r"(?<!\{)" + ours, own, text) for text in (en, zh))
        return Text(en, zh)

    def flagged(self, *, asks: bool) -> str:
        """Returns how a tensor's gradient flag is written: "stop_gradient=False", "requires_grad=True"."""
        return f"{self.flag}={asks if self.flag == 'requires_grad' else not asks}"

    def label(self, *versions: int) -> str:
        """Returns the versions of a storage as a short label: "v2", or "v2, v0" if it has several counters."""
        return ", ".join(f"{self.letter}{version}" for version in versions)


_PADDLE = Framework(
    flag="stop_gradient",
    terms=(),
    moved=Text(
        "{head} is in place in name only: {x} now points into {place} and has left {old} untouched.",
        "{head}只是名义上的原地操作：{x} 改为指向{place}，原来的 {old} 原封不动。",
    ),
    letter="v",
    version=Text("version", "版本"),
    versions=Text("Versions", "版本"),
    versions_and_bytes=Text("Versions and bytes", "版本与字节"),
    rose=Text("Version of {0}: {1} → {2}", "{0} 的版本号：{1} → {2}"),
    shared=Text(", seen by {1}.", "，由 {1} 共享。"),
    written=Text("{0} was written (version {1} → {2})", "{0} 被写入（版本 {1} → {2}）"),
    of_each=Text("Version of each storage: {versions}.", "各存储的版本：{versions}。"),
)
_SEEN = Text("writes seen by inplacelab", "inplacelab 观察到的写入次数")

FRAMEWORKS: Mapping[str, Framework] = {
    "inplacelab": _PADDLE,
    "paddle": replace(_PADDLE, shows_saved=False),
    "torch": replace(_PADDLE, flag="requires_grad"),
    "inplacelab.torch": replace(_PADDLE, flag="requires_grad"),
    # NumPy has no version counters: the number is ours.
    "numpy": Framework(
        flag="",
        terms=(
            ("the temporary", "the temporary array"),
            ("the temporaries", "the temporary arrays"),
            ("a tensor", "an array"),
            ("tensor", "array"),
            ("Tensor", "Array"),
            ("张量", "数组"),
        ),
        moved=Text(
            "{head} gave {x} other memory: it is now in {place}.", "{head}更换了 {x} 的内存：数据现在位于{place}。"
        ),
        letter="w",
        version=_SEEN,
        versions=Text("Writes seen by inplacelab", _SEEN.zh),
        versions_and_bytes=Text("Writes seen and bytes", "写入次数与字节"),
        rose=Text(
            "Writes to {0} seen by inplacelab: {1} → {2}",
            "inplacelab 观察到的对 {0} 的写入次数：{1} → {2}",
        ),
        shared=Text("; what it holds is shared by {1}.", "；{0} 由 {1} 共享。"),
        written=Text(
            "{0} was written (writes seen by inplacelab: {1} → {2})",
            "{0} 被写入（inplacelab 观察到的写入次数：{1} → {2}）",
        ),
        of_each=Text(
            "Writes to each storage seen by inplacelab: {versions}.",
            "inplacelab 观察到的各存储的写入次数：{versions}。",
        ),
    ),
}


def framework_of(recording: Recording) -> Framework:
    """Returns the terms of the framework that ran the program."""
    return FRAMEWORKS.get(recording.framework, _PADDLE)

"""The words of the framework that ran a program: what its version counters are called, and its flag for gradients, if it has any."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inplacelab.language import Text
from inplacelab.recording.recording import Recording

__all__ = ["FRAMEWORKS", "Framework", "framework_of"]


@dataclass(frozen=True, slots=True)
class Framework:
    """How recordings of one framework are told.

    Attributes:
        flag: what it calls the flag of a tensor that asks for a gradient; "" for a framework without gradients: nothing is said
            of leaves, flags, grad nodes and what backward keeps.
        terms: what it has other words for: (the word in our texts, its own), in the order in which they are replaced.
        moved: of an operation {head} after which the tensor {x} has its elements in {place}, and no more in {old}.
        letter: of a version, where there is little room: "v" in "v1".
        version: what a version is called in a table.
        versions: the heading of the panel of all versions.
        versions_and_bytes: the heading of that panel with the bytes.
        rose: of a write to a storage {0}: from version {1} to {2}; {3} share it.
        written: the same of operations that are no steps.
        of_each: the versions of all storages.
    """

    flag: str
    terms: tuple[tuple[str, str], ...]
    moved: Text
    letter: str
    version: Text
    versions: Text
    versions_and_bytes: Text
    rose: Text
    written: Text
    of_each: Text

    @property
    def has_gradients(self) -> bool:
        """Whether it computes gradients."""
        return bool(self.flag)

    def told(self, pattern: Text) -> Text:
        """A text in its own words, such as "No array has a name yet" for "No tensor has a name yet".

        Args:
            pattern: the text before names of the program are filled in, which must stay as they are. So do its `{placeholders}`.
        """
        en, zh = pattern.en, pattern.zh
        for ours, own in self.terms:
            en, zh = (re.sub(r"(?<!\{)" + ours, own, said) for said in (en, zh))
        return Text(en, zh)

    def flagged(self, *, asks: bool) -> str:
        """How it writes that a tensor asks for a gradient, or not: "stop_gradient=False", "requires_grad=True"."""
        return f"{self.flag}={asks if self.flag == 'requires_grad' else not asks}"

    def label(self, *versions: int) -> str:
        """The versions of a storage: "v2", or one for each counter where several count: "v2, v0"."""
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
    rose=Text("Version of {0}: {1} → {2}, seen by {3}.", "{0} 的版本号：{1} → {2}，共享它的有 {3}。"),
    written=Text("{0} was written (version {1} → {2})", "{0} 被写入（版本 {1} → {2}）"),
    of_each=Text("Version of each storage: {versions}.", "各存储的版本：{versions}。"),
)
_SEEN = Text("writes seen by inplacelab", "inplacelab 观察到的写入次数")

FRAMEWORKS: Mapping[str, Framework] = {
    "inplacelab": _PADDLE,
    "paddle": _PADDLE,
    "torch": replace(_PADDLE, flag="requires_grad"),
    # It counts nothing: the number is ours.
    "numpy": Framework(
        flag="",
        terms=(
            ("the temporary", "the temporary array"),
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
            "Writes to {0} seen by inplacelab: {1} → {2}; what it holds is shared by {3}.",
            "inplacelab 观察到的对 {0} 的写入次数：{1} → {2}，共享 {0} 的有 {3}。",
        ),
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
    """The words of the framework that ran the program."""
    return FRAMEWORKS.get(recording.framework, _PADDLE)

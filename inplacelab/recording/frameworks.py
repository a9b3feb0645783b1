"""The words of the framework that ran a program: what its version counters are called, and its flag for gradients, if it has any."""

from __future__ import annotations

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
        tensor: what it calls a tensor.
        letter: of a version, where there is little room: "v" in "v1".
        version: what a version is called in a table.
        versions: the heading of the panel of all versions.
        versions_and_bytes: the heading of that panel with the bytes.
        rose: of a write to a storage {0}: from version {1} to {2}; {3} share it.
        written: the same of operations that are no steps.
        of_each: the versions of all storages.
    """

    flag: str
    tensor: Text
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

    def flagged(self, *, asks: bool) -> str:
        """How it writes that a tensor asks for a gradient, or not: "stop_gradient=False", "requires_grad=True"."""
        return f"{self.flag}={asks if self.flag == 'requires_grad' else not asks}"

    def label(self, *versions: int) -> str:
        """The versions of a storage: "v2", or one for each counter where several count: "v2, v0"."""
        return ", ".join(f"{self.letter}{version}" for version in versions)


_PADDLE = Framework(
    flag="stop_gradient",
    tensor=Text("tensor", "张量"),
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
        tensor=Text("array", "数组"),
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

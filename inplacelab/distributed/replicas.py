"""`check_replicas`: finds out whether the replicas of a layer have drifted apart, and which lines did it.

Ranks compare digests, not tensors. Only of a tensor that differs do they exchange what their recordings say of its storage: every write, with the
step, the line and a digest of the values after it. The first write that is not the same on all ranks is where they drifted apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import zip_longest
from typing import Literal, TypeVar

from inplacelab.distributed.announcement import Announcement, program_line
from inplacelab.distributed.environment import world_for
from inplacelab.distributed.forms import forms
from inplacelab.distributed.world import World
from inplacelab.language import Text
from inplacelab.nn.layer import Layer
from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.queries import who_raised
from inplacelab.recording.recording import Recording
from inplacelab.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Write:
    """A write to a storage, as a rank's recording has it; the first one is how the storage was when the recording first saw it.

    Attributes:
        step: the index of the step.
        line: the line of the recorded program, from 1; None if it is not known.
        code: the text of this line.
        op: the operation.
        version: what the version counter shows after it.
        digest: of the values after it; empty if they were not recorded.
    """

    step: int
    line: int | None
    code: str
    op: str
    version: int
    digest: str

    @property
    def compared(self) -> tuple[str, int, str]:
        """What must be the same on all ranks. Lines may differ: a program may broadcast on one line and receive on another."""
        return self.op, self.version, self.digest


@dataclass(frozen=True, slots=True)
class Drift:
    """A tensor that is not the same on all ranks.

    Attributes:
        name: its name in `state_dict()`.
        kind: "values", or "version" if only the number of writes differs.
        versions: what the version counter shows, for each rank.
        agreeing: the ranks in groups; those of a group have the same values and version.
        writes: the first write that is not the same on all ranks, for each rank: None for a rank that has made no further write. Empty if
            the recordings do not show it.
        says: all of this as sentences.
    """

    name: str
    kind: Literal["values", "version"]
    versions: tuple[int, ...]
    agreeing: tuple[tuple[int, ...], ...]
    writes: tuple[Write | None, ...]
    says: Text


@dataclass(frozen=True, slots=True)
class Replicas:
    """What `check_replicas` found: the same on all ranks. It is true if the replicas are equal.

    Attributes:
        ranks: how many there are.
        tensors: how many tensors were compared.
        drifts: the tensors that differ, the one that drifted first before the others.
    """

    ranks: int
    tensors: int
    drifts: tuple[Drift, ...]

    def __bool__(self) -> bool:
        return not self.drifts

    @property
    def says(self) -> Text:
        """The result in words."""
        if self:
            return _EQUAL.format(self.tensors, self.ranks)
        lines = [each.says for each in self.drifts]
        return Text("\n".join(each.en for each in lines), "\n".join(each.zh for each in lines))

    def __str__(self) -> str:
        return str(self.says)


def check_replicas(model: Layer, recording: Recording | None = None) -> Replicas:
    """Compares the parameters and buffers of a layer across all ranks: values by digests, and versions.

    Every rank calls it, as a collective. With the ranks' recordings it names, for each tensor that differs, the first write that is not the same on
    all ranks, and the line on each rank that made it.

    Args:
        model: the layer; a `DataParallel`, or what it wraps.
        recording: what this rank has recorded, from `paddle.record()`.

    Returns:
        What differs; true if nothing does. The same on all ranks.

    Raises:
        CommunicationError: on all ranks, if their layers have other parameters, or a rank is missing.
    """
    world = world_for("check_replicas")
    tensors = list(model.state_dict().items())
    here = [(_digest(each.numpy().tobytes()), each.storage.version) for _, each in tensors]
    everywhere = _exchanged(world, forms(tensors), here)
    differing = [k for k, ranks in enumerate(zip(*everywhere, strict=True)) if len(set(ranks)) > 1]
    if not differing:
        return Replicas(world.size, len(tensors), ())
    known = {} if recording is None else _recorded(recording, tensors)
    histories = _exchanged(world, (), [known.get(tensors[k][0], ()) for k in differing])
    drifts = [
        _drift(tensors[k][0], [rank[k] for rank in everywhere], [rank[place] for rank in histories])
        for place, k in enumerate(differing)
    ]
    return Replicas(world.size, len(tensors), tuple(sorted(drifts, key=_first_step)))


_T = TypeVar("_T")


def _exchanged(world: World, agreed: Sequence[str], told: _T) -> list[_T]:
    """Tells all ranks something, and returns what each of them told."""
    announcement = Announcement(world.number + 1, "check_replicas", tuple(agreed), "", program_line(), told=told)
    return [each.told for each in world.meet(announcement)]


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _first_step(drift: Drift) -> float:
    return min((each.step for each in drift.writes if each is not None), default=float("inf"))


# ---- what a rank's recording says -------------------------------------------------------------------------------------------


def _recorded(recording: Recording, tensors: Sequence[tuple[str, Tensor]]) -> Mapping[str, tuple[Write, ...]]:
    """Returns the writes to the storages of these tensors."""
    if not recording.steps:
        return {}
    found = _found(list(recording.state().tensors.values()), tensors)
    return {name: tuple(_writes(recording, facts.storage)) for name, facts in found.items()}


def _found(facts: Sequence[TensorFacts], tensors: Sequence[tuple[str, Tensor]]) -> Mapping[str, TensorFacts]:
    """Finds the tensors of a layer by their names in the program: `model.fc.weight` is `fc.weight` of the layer `model`.

    A program may have several layers. The one that has most of these tensors is meant.
    """
    layers: dict[str, dict[str, TensorFacts]] = {}
    for name, tensor in tensors:
        for each in facts:
            for called in each.names:
                alike = (each.shape, each.dtype) == (tensor.array.shape, tensor.array.dtype.name)
                if alike and f".{called}".endswith(f".{name}"):
                    layers.setdefault(called[: -len(name)], {})[name] = each
    return max(layers.values(), key=len, default={})


def _writes(recording: Recording, storage: int) -> Iterator[Write]:
    lines = recording.source.splitlines()

    def write(step: Step, op: str, version: int) -> Write:
        code = lines[step.line - 1].strip() if step.line is not None and step.line <= len(lines) else ""
        return Write(step.index, step.line, code, op, version, _values(recording, step.index, storage))

    for step in recording.steps:
        if any(key == storage and facts is not None for key, facts in step.storages):
            counter = next(facts for _, facts in step.counters if facts is not None and facts.storage == storage)
            if not any(each.storage == storage for each in step.writes):
                yield write(step, "", counter.version)
            break
    for step, raised in who_raised(recording, storage):
        yield write(step, step.op or "", raised.after)


def _values(recording: Recording, index: int, storage: int) -> str:
    facts = recording.state(index).storages.get(storage)
    return "" if facts is None or facts.values is None else _digest(repr(facts.values).encode())


# ---- what is said ----------------------------------------------------------------------------------------------------------

_EQUAL = Text(
    "All {0} tensors have the same values and versions on all {1} ranks.",
    "全部 {0} 个张量在所有 {1} 个进程上的值与版本号都相同。",
)
_VALUES = Text("`{0}` has drifted apart: {1}.", "`{0}` 已经不一致：{1}。")
_VERSION = Text(
    "`{0}` has the same values on all ranks, but was not written equally often: {1}.",
    "`{0}` 在所有进程上的值相同，但写入的次数不同：{1}。",
)
_AGAINST = Text(" against ", "与")
_AT_VERSION = Text("{0} (version {1})", "{0}（版本号 {1}）")
_RANK, _RANKS = Text("rank {0}", "进程 {0}"), Text("ranks {0}", "进程 {0}")
_COMMA = Text(", ", "、")
_FIRST = Text(" The first write that differs: {0}.", "第一次不同的写入：{0}。")
_WRITE = Text("{0}, step {1}, line {2} `{3}` ({4})", "{0}，第 {1} 步，第 {2} 行 `{3}`（{4}）")
_WRITE_SOMEWHERE = Text("{0}, step {1} ({2})", "{0}，第 {1} 步（{2}）")
_MADE = Text("as it was first seen", "首次出现时")
_NONE = Text("{0}, no further write", "{0}，没有更多写入")
_BEFORE = Text(
    " It is the first that the recordings know of, so the ranks may have differed before it.",
    "这是记录中已知的第一次写入，所以各进程可能在此之前就已不同。",
)
_NOT_RECORDED = Text(
    " To see which lines did it, give `check_replicas` the recordings of all ranks.",
    "要知道是哪些行造成的，请把各进程的记录交给 `check_replicas`。",
)
_NOT_SEEN = Text(
    " The recordings show the same writes on all ranks: it happened before or after them, or unobserved.",
    "各进程的记录中写入都相同：差异发生在记录之前、之后，或未被观察到。",
)


def _drift(name: str, ranks: Sequence[tuple[str, int]], histories: Sequence[Sequence[Write]]) -> Drift:
    kind: Literal["values", "version"] = "values" if len({digest for digest, _ in ranks}) > 1 else "version"
    agreeing = _groups(ranks)
    versions = tuple(version for _, version in ranks)
    writes = _first_difference(histories) if all(histories) else ()
    groups = [_AT_VERSION.format(_those(group), versions[group[0]]) for group in agreeing]
    pattern = _VALUES if kind == "values" else _VERSION
    first = bool(writes) and any(each is known[0] for each, known in zip(writes, histories, strict=True))
    says = _said(pattern, name, groups, writes, recorded=all(histories), first=first)
    return Drift(name, kind, versions, agreeing, writes, says)


def _said(
    pattern: Text, name: str, groups: Sequence[Text], writes: Sequence[Write | None], recorded: bool, first: bool
) -> Text:
    heading = pattern.format(name, _joined(groups, _AGAINST))
    if not writes:
        return heading + (_NOT_SEEN if recorded else _NOT_RECORDED)
    by_rank = _groups([None if each is None else (each.step, each.line, each.compared) for each in writes])
    said = _FIRST.format(_joined([_of(ranks, writes[ranks[0]]) for ranks in by_rank], Text("; ", "；")))
    return heading + said + _BEFORE if first else heading + said


def _of(ranks: tuple[int, ...], write: Write | None) -> Text:
    if write is None:
        return _NONE.format(_those(ranks))
    op = Text(f"`{write.op}`", f"`{write.op}`") if write.op else _MADE
    if write.line is None:
        return _WRITE_SOMEWHERE.format(_those(ranks), write.step + 1, op)
    return _WRITE.format(_those(ranks), write.step + 1, write.line, write.code, op)


def _first_difference(histories: Sequence[Sequence[Write]]) -> tuple[Write | None, ...]:
    """Returns the first writes, one of each rank, that are not the same; nothing if all are."""
    for writes in zip_longest(*histories):
        if len({None if each is None else each.compared for each in writes}) > 1:
            return writes
    return ()


def _groups(facts: Sequence[Hashable]) -> tuple[tuple[int, ...], ...]:
    """Returns the ranks with equal facts together."""
    found: dict[Hashable, list[int]] = {}
    for rank, each in enumerate(facts):
        found.setdefault(each, []).append(rank)
    return tuple(map(tuple, found.values()))


def _those(ranks: Sequence[int]) -> Text:
    return (_RANK if len(ranks) == 1 else _RANKS).format(
        _joined([Text(str(rank), str(rank)) for rank in ranks], _COMMA)
    )


def _joined(texts: Sequence[Text], between: Text) -> Text:
    return Text(between.en.join(each.en for each in texts), between.zh.join(each.zh for each in texts))

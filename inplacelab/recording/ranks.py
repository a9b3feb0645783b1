"""Puts the recordings of several ranks on one axis of steps, and finds out where their replicas have drifted apart.

A collective is a step of all ranks at once, so the same collective stands at one position. Between two collectives the ranks run on their own, mostly
the same lines: equal steps stand at one position, and a step that only some ranks make has gaps on the others.

Of each storage a rank has a history: every write, with the step, the line and a digest of the values after it. The first write that is not
the same on all ranks, since they last agreed, is where they drifted apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from hashlib import blake2b
from itertools import zip_longest
from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.places import line_of, said_line
from inplacelab.recording.queries import who_raised
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import line_text

_NONE = Text("recordings of ranks are needed, with at least one step each", "需要各进程的记录，且每份至少有一步")
_OTHER_RANK = Text(
    "recording {0} is that of rank {1}: give the recordings in the order of the ranks",
    "第 {0} 份记录来自进程 {1}：请按进程编号的顺序给出记录",
)


class Link(NamedTuple):
    """A collective, which links its ranks.

    Attributes:
        position: where it is.
        name: the operation: "all_reduce".
        number: which collective of the program it is, from 1.
        ranks: the ranks whose recordings have it.
    """

    position: int
    name: str
    number: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class RankAlignment:
    """The recordings of several ranks, and the positions of their common cursor.

    Attributes:
        recordings: one of each rank, in their order.
        positions: for each position the index of each rank's step there, or None. Every step is there exactly once, in order.
    """

    recordings: tuple[Recording, ...]
    positions: tuple[tuple[int | None, ...], ...]

    @cached_property
    def reached(self) -> tuple[tuple[int | None, ...], ...]:
        """The last step of each rank at or before each position; None before its first step."""
        found: list[tuple[int | None, ...]] = []
        last: tuple[int | None, ...] = (None,) * len(self.recordings)
        for here in self.positions:
            last = tuple(before if now is None else now for before, now in zip(last, here, strict=True))
            found.append(last)
        return tuple(found)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The collectives, in order."""
        return tuple(self._links())

    def _links(self) -> Iterator[Link]:
        for position, here in enumerate(self.positions):
            made = {
                rank: each.steps[step].collective
                for rank, (each, step) in enumerate(zip(self.recordings, here, strict=True))
                if step is not None
            }
            known = {rank: facts for rank, facts in made.items() if facts is not None}
            if known:
                first = next(iter(known.values()))
                yield Link(position, first.name, first.number, tuple(known))

    def position_of(self, rank: int, step: int) -> int:
        """Returns where a rank makes a step."""
        return next(k for k, here in enumerate(self.positions) if here[rank] == step)


def align_ranks(recordings: Sequence[Recording]) -> RankAlignment:
    """Puts the recordings of several ranks on one axis.

    Args:
        recordings: one of each rank, in their order.

    Raises:
        ValueError: if there are none, one of them is empty, or they are in another order.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2]).scale_(2.0)
    >>> align_ranks([rec.recording, rec.recording]).positions
    ((0, 0), (1, 1))
    """
    if not recordings or not all(map(len, recordings)):
        raise ValueError(str(_NONE))
    for place, each in enumerate(recordings):
        ranks = {step.collective.rank for step in each.steps if step.collective is not None}
        if ranks - {place}:
            raise ValueError(str(_OTHER_RANK.format(place, *ranks)))
    return RankAlignment(tuple(recordings), tuple(_positions(recordings)))


def _positions(recordings: Sequence[Recording]) -> Iterator[tuple[int | None, ...]]:
    parts = list(map(_by_collective, recordings))
    common = set.intersection(*(set(each) for each in parts))
    joined = [_joined(each, common) for each in parts]
    for segment in zip(*joined, strict=True):
        columns: list[list[Step | None]] = []
        for rank, steps in enumerate(segment):
            columns = list(_merged(columns, steps, rank))
        for column in columns:
            yield tuple(None if step is None else step.index for step in column)


def _by_collective(recording: Recording) -> dict[int, list[Step]]:
    """Returns the steps in parts, each of which begins with a collective, by its number; 0 for those before the first one."""
    parts: dict[int, list[Step]] = {0: []}
    now = 0
    for step in recording.steps:
        if step.collective is not None:
            now = step.collective.number
        parts.setdefault(now, []).append(step)
    return parts


def _joined(parts: dict[int, list[Step]], common: set[int]) -> list[list[Step]]:
    """Returns the parts that begin with a collective of all ranks; the others belong to the part before them."""
    joined: list[list[Step]] = []
    for number, steps in parts.items():
        if number in common:
            joined.append(list(steps))
        else:
            joined[-1] += steps
    return joined


def _merged(columns: list[list[Step | None]], steps: list[Step], rank: int) -> Iterator[list[Step | None]]:
    """Yields the columns with the steps of a further rank: in the column of an equal step, or in one of their own."""
    known = [_key(next(step for step in column if step is not None)) for column in columns]
    matcher = SequenceMatcher(None, known, [_key(step) for step in steps], autojunk=False)
    for what, first, last, start, end in matcher.get_opcodes():
        if what == "equal":
            yield from ([*column, step] for column, step in zip(columns[first:last], steps[start:end], strict=True))
        else:
            yield from ([*column, None] for column in columns[first:last])
            yield from ([None] * rank + [step] for step in steps[start:end])


def _key(step: Step) -> tuple[object, ...]:
    """What equal steps have in common."""
    if step.kind == "error":
        return (step.kind,)  # the same error may come to ranks on different lines
    number = None if step.collective is None else step.collective.number
    return line_of(step.place), step.kind, step.op, number, None if step.backward is None else step.backward.action


@dataclass(frozen=True, slots=True)
class Write:
    """A write to a storage, as a rank's recording has it; the first one is how the storage was when the recording first saw it.

    Attributes:
        step: the index of the step.
        where: its line, in words; None if it is not known.
        code: the text of this line.
        op: the operation.
        version: what the version counter shows after it.
        digest: of the values after it; empty if they were not recorded.
    """

    step: int
    where: Text | None
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
        writes: the first write since they last agreed that is not the same on all ranks, for each rank: None for a rank that has made no further write. Empty if
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


def compared(recordings: Sequence[Recording]) -> Replicas:
    """Compares the parameters of a program across its ranks: leaves that need a gradient and have the same name everywhere.

    Args:
        recordings: one of each rank, in their order.

    Returns:
        What differs at the end; true if nothing does.

    Raises:
        ValueError: if there are no recordings, or one of them is empty.
    """
    states = [recording.state() for recording in _filled(recordings)]
    named = {tensor.names[0]: tensor for tensor in states[0].tensors.values() if _is_parameter(tensor)}
    everywhere = [name for name in named if all(state.bound(name) is not None for state in states)]
    drifts = []
    for name in everywhere:
        tensors = [state.tensor(name) for state in states]
        ends = [
            (_values(recording, -1, tensor.storage), state.version(tensor))
            for recording, state, tensor in zip(recordings, states, tensors, strict=True)
        ]
        if len(set(ends)) > 1:
            histories = [history_of(each, tensor.storage) for each, tensor in zip(recordings, tensors, strict=True)]
            drifts.append(drift_of(name, ends, histories))
    return Replicas(len(recordings), len(everywhere), in_order(drifts))


_EMPTY = Text("a recording of each rank is needed, with at least one step", "需要每个进程的记录，且每份记录至少有一步")


def _filled(recordings: Sequence[Recording]) -> Sequence[Recording]:
    if not recordings or not all(map(len, recordings)):
        raise ValueError(str(_EMPTY))
    return recordings


def _is_parameter(tensor: TensorFacts) -> bool:
    return bool(tensor.names) and tensor.leaf and tensor.needs_gradient and not tensor.names[0].endswith(".grad")


def in_order(drifts: Sequence[Drift]) -> tuple[Drift, ...]:
    """Returns the one that began first before the others."""
    return tuple(sorted(drifts, key=_first_step))


def _first_step(drift: Drift) -> float:
    return min((each.step for each in drift.writes if each is not None), default=float("inf"))


def digest(data: bytes) -> str:
    """Returns a short text that is the same for the same bytes, and for others in practice never."""
    return blake2b(data, digest_size=16).hexdigest()


def history_of(recording: Recording, storage: int) -> tuple[Write, ...]:
    """Returns how a storage was when the recording first saw it, and every write to it."""
    return tuple(_writes(recording, storage))


def _writes(recording: Recording, storage: int) -> Iterator[Write]:
    def write(step: Step, op: str, version: int) -> Write:
        code = line_text(recording, step.place).strip()
        where = None if step.place is None else said_line(recording.sources, step.place)
        return Write(step.index, where, code, op, version, _values(recording, step.index, storage))

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
    return "" if facts is None or facts.values is None else digest(repr(facts.values).encode())


# ---- what is said ----------------------------------------------------------------------------------------------------------

_EQUAL = Text(
    "All values and versions are the same: {0} tensors on {1} ranks.",
    "{0} 个张量的值与版本号在 {1} 个进程上都相同。",
)
_VALUES = Text("The replicas of `{0}` have drifted apart: {1}.", "`{0}` 已经不一致：{1}。")
_VERSION = Text(
    "`{0}` has the same values on all ranks, but was not written equally often: {1}.",
    "`{0}` 在所有进程上的值相同，但写入的次数不同：{1}。",
)
_AGAINST = Text(" against ", "与")
_AT_VERSION = Text("{0} (version {1})", "{0}（版本号 {1}）")
_RANK, _RANKS = Text("rank {0}", "进程 {0}"), Text("ranks {0}", "进程 {0}")
_COMMA = Text(", ", "、")
_FIRST = Text(" The first write that differs: {0}.", "第一次不同的写入：{0}。")
_WRITE = Text("{0}, step {1}, {2} `{3}` ({4})", "{0}，第 {1} 步，{2} `{3}`（{4}）")
_WRITE_SOMEWHERE = Text("{0}, step {1} ({2})", "{0}，第 {1} 步（{2}）")
_MADE = Text("as it was first seen", "首次出现时")
_NO_WRITE = Text("{0}, no further write", "{0}，没有更多写入")
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


def drift_of(name: str, ranks: Sequence[tuple[str, int]], histories: Sequence[Sequence[Write]]) -> Drift:
    """Says how a tensor differs between ranks.

    Args:
        name: its name.
        ranks: the digest of its values and its version, for each rank.
        histories: the writes to its storage, for each rank; empty if they are not known.
    """
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
    heading = pattern.format(name, _in_words(groups, _AGAINST))
    if not writes:
        return heading + (_NOT_SEEN if recorded else _NOT_RECORDED)
    by_rank = _groups([None if each is None else (each.step, each.where, each.compared) for each in writes])
    said = _FIRST.format(_in_words([_of(ranks, writes[ranks[0]]) for ranks in by_rank], Text("; ", "；")))
    return heading + said + _BEFORE if first else heading + said


def _of(ranks: tuple[int, ...], write: Write | None) -> Text:
    if write is None:
        return _NO_WRITE.format(_those(ranks))
    op = Text(f"`{write.op}`", f"`{write.op}`") if write.op else _MADE
    if write.where is None:
        return _WRITE_SOMEWHERE.format(_those(ranks), write.step + 1, op)
    return _WRITE.format(_those(ranks), write.step + 1, write.where, write.code, op)


def _first_difference(histories: Sequence[Sequence[Write]]) -> tuple[Write | None, ...]:
    """Returns the first writes, one of each rank, that are not the same since the ranks last agreed; nothing if they still do.

    Replicas may begin with other values, which a broadcast then makes equal.
    """
    found: tuple[Write | None, ...] = ()
    for writes in zip_longest(*histories):
        if len({None if each is None else each.compared for each in writes}) == 1:
            found = ()
        elif not found:
            found = writes
    return found


def _groups(facts: Sequence[Hashable]) -> tuple[tuple[int, ...], ...]:
    """Returns the ranks with equal facts together."""
    found: dict[Hashable, list[int]] = {}
    for rank, each in enumerate(facts):
        found.setdefault(each, []).append(rank)
    return tuple(map(tuple, found.values()))


def _those(ranks: Sequence[int]) -> Text:
    return (_RANK if len(ranks) == 1 else _RANKS).format(
        _in_words([Text(str(rank), str(rank)) for rank in ranks], _COMMA)
    )


def _in_words(texts: Sequence[Text], between: Text) -> Text:
    return Text(between.en.join(each.en for each in texts), between.zh.join(each.zh for each in texts))

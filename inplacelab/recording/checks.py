"""Checks that the facts of a recording agree, before anything is computed from them.

A file may have been damaged or made up. Its types are checked when it is decoded (`codec`); this module checks what queries and
pictures rely on: numbers of objects that are there, layouts that stay inside their storage, a graph without a cycle; and that
drawing needs time and memory in proportion to the file.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from math import prod
from typing import Any

from inplacelab.language import Text
from inplacelab.recording.computed_from import fits_together
from inplacelab.recording.facts import (
    BackwardFacts,
    CounterFacts,
    FailureFacts,
    LaunchFacts,
    NodeFacts,
    SavedFacts,
    Step,
    StorageFacts,
    Summary,
    TensorFacts,
    WriteFacts,
)
from inplacelab.recording.file_text import MisfitError, RecordingFormatError, excerpt
from inplacelab.recording.places import file_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import Laid, bytes_of, known_bytes, most_runs
from inplacelab.recording.source_tree import source_lines

MOST = 2**63 - 1
"""The largest size, offset, version or number of bytes: that of a 64-bit address space."""
MOST_AXES = 64
"""The most axes of a tensor, as in NumPy. PaddlePaddle allows 9, PyTorch 64."""
MOST_IN_NAME = 2000
"""The most characters of a name, a dtype or a device: each may be drawn at every step. Only the source and messages are longer."""
MOST_LIVE = 4_000_000
"""The most objects in the states after all steps together. A state is a dictionary of everything alive, at about 50 bytes each."""
MOST_LAID_OUT = 4_000_000
"""The most runs of slots that all layouts together reach. Each run is drawn."""
MOST_PLACES = 20_000
"""The most values, writes and places that led to one error."""
MOST_EDITS = 64
"""The most edits of a fix."""
MOST_PASSED = 1_000_000
"""The most layers of the graph that all edges together pass. A network that uses a parameter in a thousand steps has half as many."""


def check(recording: Recording) -> None:
    """Checks that the facts of a recording agree with each other.

    Raises:
        RecordingFormatError: if they do not; the message names the first place.
    """
    try:
        _names(recording.framework, recording.framework_version)
        _sizes(recording.truncated, recording.live_before)
        _check_sources(recording)
        _check_fixes(recording)
        world = _World()
        for position, step in enumerate(recording.steps):
            try:
                if step.index != position:
                    raise MisfitError(_INDEX, position, step.index).inside(".index")
                world.follow(step)
            except MisfitError as misfit:
                raise misfit.inside(f".steps[{position}]") from None
        _check_graph(world.edges)
    except MisfitError as misfit:
        raise RecordingFormatError(misfit.explanation()) from None


_INDEX = Text("{0}: expected {1}, found {2}.", "{0}：应为 {1}，实为 {2}。")
_SIZE = Text("{0}: a size, a count or a version cannot be {1}.", "{0}：大小、个数或版本不可能是 {1}。")
_LONG = Text("{0}: a name is too long, from {1}.", "{0}：名称过长，开头为 {1}。")
_KEY = Text("{0}: the number {1} stands before the facts of {2}.", "{0}：编号 {1} 之后是 {2} 的内容。")
_TWICE = Text("{0}: the number {1} is there twice.", "{0}：编号 {1} 出现了两次。")
_NOT_THERE = Text("{0}: there is no {1} {2}.", "{0}：没有编号为 {2} 的{1}。")
_IN_USE = Text("{0}: {1} {2} is gone, and something still refers to it.", "{0}：{1} {2} 已消失，但仍被引用。")
_AXES = Text(
    "{0}: shape and strides have {1} and {2} axes; expected equally many, at most {3}.",
    "{0}：形状有 {1} 个轴，步幅有 {2} 个；两者应一样多，且至多 {3} 个。",
)
_OUTSIDE = Text(
    "{0}: a layout reaches the slots {1} to {2} of a storage that has {3}.",
    "{0}：布局触及槽位 {1} 至 {2}，而存储只有 {3} 个。",
)
_DEPENDENCE = Text("a rule of dependence does not fit together: {0}", "元素依赖规则自相矛盾：{0}")
_RUNS = Text("{0}: the slots are not runs in order, inside their storage.", "{0}：这些槽位不是存储内依次排列的区间。")
_BYTES = Text("{0}: {1} slots do not take {2} bytes.", "{0}：{1} 个槽位不会占 {2} 字节。")
_VALUES = Text("{0}: there are {1} values for {2} slots.", "{0}：{2} 个槽位却有 {1} 个值。")
_TOO_MUCH = Text("{0}: up to this step there is too much to draw.", "{0}：到这一步为止，需要绘制的内容过多。")
_EDIT = Text("{0}: an edit is not inside the source.", "{0}：修改之处不在源代码之内。")
_CYCLE = Text("{0}: the edges of the grad nodes form a cycle.", "{0}：梯度节点的边构成了环。")

_STORAGE, _COUNTER, _SOURCE = Text("storage", "存储"), Text("version counter", "版本计数器"), Text("source", "源文件")


def _check_modules(recording: Recording) -> None:
    """The modules that ran operations were constructed in sources that are there."""
    for module in (step.ran_in for step in recording.steps if step.ran_in is not None):
        _names(module.kind)
        _sizes(module.source, module.line, module.column, module.end_line, module.end_column)
        if module.source and module.source >= len(recording.sources):
            raise MisfitError(_NOT_THERE, _SOURCE, module.source).inside(".steps")


def _check_sources(recording: Recording) -> None:
    """Places are in sources that are there."""
    for position, source in enumerate(recording.sources):
        try:
            _names(source.name)
            _sizes(source.first_line)
        except MisfitError as misfit:
            raise misfit.inside(f".sources[{position}]") from None
    _names(*(step.module for step in recording.steps))
    _check_modules(recording)
    nodes = (facts for step in recording.steps for _, facts in step.nodes if facts is not None)
    places = [*(step.place for step in recording.steps), *(node.place for node in nodes)]
    found = {id(each): each for each in places if each is not None}
    seen = set[int]()
    for place in found.values():
        for each in place.calls:
            if id(each) in seen:
                break
            seen.add(id(each))
            _names(each.function, each.owner)
            _sizes(each.line, each.skipped, each.source)
            if each.source and each.source >= len(recording.sources):
                raise MisfitError(_NOT_THERE, _SOURCE, each.source).inside(".places")


def _check_fixes(recording: Recording) -> None:
    """Edits of the source are inside it; and all are few enough to be applied."""
    errors = [step.error for step in recording.steps if step.error is not None]
    fixes = [fix for error in errors for fix in error.fixes]
    if not any(fix.edits for fix in fixes):
        return
    known = {file_of(recording, number): each.text for number, each in reversed([*enumerate(recording.sources)])}
    widths = {file: [len(line) for line in source_lines(text)] for file, text in known.items()}
    for fix in fixes:
        before: dict[str, tuple[int, int]] = {}
        for edit in sorted(
            each for each in fix.edits if each.file in widths
        ):  # the texts of other files are not recorded
            first, last = (edit.line, edit.column), (edit.end_line, edit.end_column)
            inside = all(
                0 <= column <= ([*widths[edit.file], 0][line - 1] if 0 < line <= len(widths[edit.file]) + 1 else -1)
                for line, column in (first, last)
            )
            if not inside or not before.get(edit.file, first) <= first <= last:
                raise MisfitError(_EDIT).inside(".fixes")
            before[edit.file] = last
        if len(fix.edits) > MOST_EDITS:
            raise MisfitError(_EDIT).inside(".fixes")


class _World:
    """Everything alive after the steps so far.

    Attributes:
        edges: from each node to the nodes that its gradients ever go to.
    """

    def __init__(self) -> None:
        self.edges: dict[int, set[int]] = {}
        self._storages: dict[int, StorageFacts] = {}
        self._counters: dict[int, CounterFacts] = {}
        self._tensors: dict[int, TensorFacts] = {}
        self._nodes: dict[int, NodeFacts] = {}
        self._met_storages: dict[int, int] = {}  # and the most slots that each has had
        self._met_counters: set[int] = set()
        self._on_storage: dict[int, set[int]] = {}  # from a storage to the tensors on it
        self._on_counter: dict[int, set[int]] = {}
        self._counted: dict[int, set[int]] = {}  # from a storage to its counters
        self._layouts: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        self._live = self._runs = 0

    def follow(self, step: Step) -> None:
        """Applies the changes of a step and checks what it says.

        Raises:
            MisfitError: if something does not agree.
        """
        self._change_storages(step)
        self._change_counters(step)
        self._change_tensors(step)
        self._change_nodes(step)
        self._check_gone(step)
        _check_references(step)
        self._check_step(step)
        self._live += len(self._storages) if step.storages else 0
        self._live += len(self._counters) if step.counters else 0
        self._live += len(self._tensors) if step.tensors else 0
        self._live += len(self._nodes) if step.nodes else 0
        if max(self._live - MOST_LIVE, self._runs - MOST_LAID_OUT) > 0:
            raise MisfitError(_TOO_MUCH)

    # --- what a step changes

    def _change_storages(self, step: Step) -> None:
        _numbered(step.storages, "storages")
        for key, facts in step.storages:
            before = self._storages.pop(key, None)
            if facts is None:
                continue
            _check_storage(facts)
            self._storages[key] = facts
            self._met_storages[key] = max(facts.slots, self._met_storages.get(key, 0))
            if before is not None and _extent(before) != _extent(facts):
                for tensor in self._on_storage.get(key, ()):
                    if not any(tensor == changed for changed, _ in step.tensors):
                        self._check_layout(self._tensors[tensor])

    def _change_counters(self, step: Step) -> None:
        _numbered(step.counters, "counters")
        for key, facts in step.counters:
            before = self._counters.pop(key, None)
            if before is not None:
                self._counted[before.storage].discard(key)
            if facts is not None:
                _sizes(facts.version)
                _known(_STORAGE, facts.storage, self._storages)
                self._counters[key] = facts
                self._met_counters.add(key)
                self._counted.setdefault(facts.storage, set()).add(key)

    def _change_tensors(self, step: Step) -> None:
        _numbered(step.tensors, "tensors")
        for key, facts in step.tensors:
            before = self._tensors.pop(key, None)
            if before is not None:
                self._on_storage[before.storage].discard(key)
                self._on_counter[before.counter].discard(key)
            if facts is None:
                continue
            _names(*facts.names, facts.dtype, facts.device)
            _known(_STORAGE, facts.storage, self._storages)
            _known(_COUNTER, facts.counter, self._counters)
            self._check_layout(facts)
            self._tensors[key] = facts
            self._on_storage.setdefault(facts.storage, set()).add(key)
            self._on_counter.setdefault(facts.counter, set()).add(key)

    def _change_nodes(self, step: Step) -> None:
        _numbered(step.nodes, "nodes")
        for key, facts in step.nodes:
            self._nodes.pop(key, None)
            if facts is None:
                continue
            _names(facts.name, facts.op, *(edge.input for edge in facts.edges))
            self._nodes[key] = facts
            self.edges.setdefault(key, set()).update(edge.to for edge in facts.edges)
            for saved in facts.saved:
                self._check_saved(saved)

    def _check_saved(self, saved: SavedFacts) -> None:
        _names(saved.name)
        _sizes(saved.version)
        _known(_STORAGE, saved.storage, self._met_storages)
        _known(_COUNTER, saved.counter, self._met_counters)
        _names(saved.dtype)
        slots = self._met_storages[saved.storage]
        self._reach(saved, _elements(saved.dtype, self._storages.get(saved.storage), slots) if saved.dtype else slots)

    def _check_layout(self, facts: TensorFacts) -> None:
        storage = self._storages[facts.storage]
        self._reach(facts, _elements(facts.dtype, storage, storage.slots))

    def _reach(self, layout: Laid, slots: int) -> None:
        self._runs += _check_reach(layout, slots, self._layouts)

    def _check_gone(self, step: Step) -> None:
        """Nothing may be gone that a live object refers to."""
        for key in (key for key, facts in step.storages if facts is None):
            if self._on_storage.get(key) or self._counted.get(key):
                raise MisfitError(_IN_USE, _STORAGE, key)
        for key in (key for key, facts in step.counters if facts is None):
            if self._on_counter.get(key):
                raise MisfitError(_IN_USE, _COUNTER, key)

    # --- what a step says

    def _check_step(self, step: Step) -> None:
        _sizes(step.live, step.peak, step.turn)
        _names(step.op or "")
        _serials(step.output, step.kept)
        for write in step.writes:
            self._check_write(write)
        for read in step.reads:
            _serials(read.tensor, read.storage)
            _check_runs(read.slots, self._met_storages.get(read.storage, MOST))
        for rewired in step.rewired:
            _serials(rewired.tensor, rewired.before, rewired.after)
        if step.backward is not None:
            _check_backward(step.backward)
        if step.error is not None:
            _serials(step.error.node, step.error.tensor)
            if step.error.storage is not None:
                _known(_STORAGE, step.error.storage, self._met_storages)
            _names(step.error.type)
            if step.error.failure is not None:
                _check_failure(step.error.failure)
        _check_details(step)

    def _check_write(self, write: WriteFacts) -> None:
        _known(_STORAGE, write.storage, self._met_storages)
        _known(_COUNTER, write.counter, self._met_counters)
        _serials(write.tensor)
        _sizes(write.before + 1, write.after)  # -1: the array was new to the recorder, which saw only the change
        _check_runs(write.slots, self._met_storages[write.storage])


# --- single facts --------------------------------------------------------------------------------------------------


def _known(what: Text, number: int, there: Container[int]) -> None:
    if number not in there:
        raise MisfitError(_NOT_THERE, what, number)


def _serials(*numbers: int | None) -> None:
    """Numbers of tensors, nodes and storages that need not be there: one that was made and freed within a step has a number and no facts."""
    _sizes(*(each for each in numbers if each is not None))


def _check_references(step: Step) -> None:
    for _, tensor in step.tensors:
        if tensor is not None:
            _serials(tensor.node, tensor.base, tensor.grad)
    for _, node in step.nodes:
        if node is not None:
            _serials(node.leaf, *(edge.to for edge in node.edges))


def _check_backward(backward: BackwardFacts) -> None:
    _serials(backward.node, *(root.node for root in backward.others))
    _names(backward.saved or "")
    _sizes(backward.kept_at or 0, backward.found_at or 0)
    if backward.shape is not None:
        _check_shape(backward.shape)
        if backward.gradient is not None and len(backward.gradient) != prod(backward.shape):
            raise MisfitError(_VALUES, len(backward.gradient), prod(backward.shape))


def _check_details(step: Step) -> None:
    for launch in step.launches:
        _check_launch(launch)
    if step.depends is not None:
        if not fits_together(step.depends):
            raise MisfitError(_DEPENDENCE, step.depends.how)
        _names(*(each.name for each in step.depends.given))
    for each in step.loops:
        _sizes(
            each.source,
            each.line,
            each.run,
            each.number,
            each.number if each.count is None else each.count - each.number,
        )
    if step.collective is not None:
        _names(step.collective.name)
        _sizes(step.collective.number, step.collective.rank, step.collective.ranks - step.collective.rank - 1)


def _numbered(changes: Sequence[tuple[int, Any]], kind: str) -> None:
    met: set[int] = set()
    for position, (key, facts) in enumerate(changes):
        place = f".{kind}[{position}]"
        if not 0 <= key <= MOST:
            raise MisfitError(_SIZE, key).inside(place)
        if facts is not None and facts.id != key:
            raise MisfitError(_KEY, key, facts.id).inside(place)
        if key in met:
            raise MisfitError(_TWICE, key).inside(place)
        met.add(key)


def _extent(facts: StorageFacts) -> tuple[int, int, str]:
    return facts.slots, facts.bytes, facts.dtype


def _check_storage(facts: StorageFacts) -> None:
    _names(facts.dtype, facts.device)
    _sizes(facts.bytes, facts.slots)
    wide = known_bytes(facts.dtype) or max(facts.bytes // (facts.slots or 1), 1)
    if facts.bytes and facts.bytes != facts.slots * wide:  # a constant, such as the 2 of `x ** 2`, counts no bytes
        raise MisfitError(_BYTES, facts.slots, facts.bytes)
    values = facts.values
    if isinstance(values, Summary):
        if len(values.head) + len(values.tail) > facts.slots:
            raise MisfitError(_VALUES, len(values.head) + len(values.tail), facts.slots)
        _check_runs([(first, first + len(run)) for first, run in values.runs], facts.slots)
    elif values is not None and len(values) != facts.slots:
        raise MisfitError(_VALUES, len(values), facts.slots)


def _elements(dtype: str, storage: StorageFacts | None, slots: int) -> int:
    """Returns how many elements of a dtype so many slots of a storage hold; of one that is gone that is not known."""
    if storage is None:
        return MOST
    if dtype == storage.dtype:
        return slots
    return slots * bytes_of(storage.dtype, storage) // bytes_of(dtype, storage)


def _check_reach(layout: Laid, slots: int, met: set[tuple[tuple[int, ...], tuple[int, ...]]]) -> int:
    """Checks that a layout stays inside `slots` slots. Returns how many runs of slots it adds to those of the layouts in `met`."""
    shape, strides = layout.shape, layout.strides
    if len(shape) != len(strides) or len(shape) > MOST_AXES:
        raise MisfitError(_AXES, len(shape), len(strides), MOST_AXES)
    _check_shape(shape)
    _sizes(layout.offset)
    if 0 in shape:
        return 0
    hops = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    first = layout.offset + sum(hop for hop in hops if hop < 0)
    last = layout.offset + sum(hop for hop in hops if hop > 0)
    if first < 0 or last >= slots:
        raise MisfitError(_OUTSIDE, first, last, slots)
    if (shape, strides) in met:
        return 0
    met.add((shape, strides))
    return most_runs(layout)


def _check_shape(shape: Sequence[int]) -> None:
    if len(shape) > MOST_AXES:
        raise MisfitError(_AXES, len(shape), len(shape), MOST_AXES)
    _sizes(*shape)
    _sizes(prod(size for size in shape if size))


def _check_runs(runs: Sequence[tuple[int, int]], slots: int) -> None:
    """Checks that runs (first, one past the last) are in order and inside `slots` slots."""
    end = 0
    for start, stop in runs:
        if not end <= start <= stop <= slots:
            raise MisfitError(_RUNS)
        end = stop


def _check_launch(launch: LaunchFacts) -> None:
    _names(launch.kind, launch.dtype, launch.device)
    _sizes(*launch.grid, *launch.block, launch.width, launch.bytes_read, launch.bytes_written)
    for operand in launch.operands:
        _names(operand.name, operand.dtype)
        _sizes(operand.storage_bytes)
        _check_reach(operand, operand.storage_bytes, set())


def _check_failure(facts: FailureFacts) -> None:
    writes = [write for value in facts.values for write in value.writes]
    of_values = (site for value in facts.values for site in (*value.sites, *value.read))
    of_writes = (site for write in writes for site in (*write.sites, *write.made))
    sites = [*facts.needed, *facts.released, *of_values, *of_writes]
    if len(facts.values) + len(writes) + len(sites) > MOST_PLACES:
        raise MisfitError(_TOO_MUCH).inside(".failure")
    for site in sites:
        _names(site.file, site.text, site.function)
        _sizes(site.line - 1, site.end_line, site.column + 1, site.end_column + 1)
    for value in facts.values:
        _names(value.node, *value.operands, *value.names, value.made_by, value.made_in_file, value.dtype, value.op)
        _sizes(*value.positions, value.made_in or 0, value.kept or 0, value.found or 0, value.unseen, value.forgotten)
        _check_shape(value.shape or ())
    for write in writes:
        _names(write.op, *write.through, write.base)
        _sizes(write.before, write.after, write.times)
    _names(*facts.wrong)


def _check_graph(edges: Mapping[int, Collection[int]]) -> None:
    """Checks that the nodes can be put into layers in which every edge goes forward, and that not too many layers are passed."""
    edges = {**{end: () for ends in edges.values() for end in ends}, **edges}
    waits = dict.fromkeys(edges, 0)
    for ends in edges.values():
        for end in ends:
            waits[end] += 1
    ready = [node for node, count in waits.items() if not count]
    layer = dict.fromkeys(edges, 0)
    for node in ready:  # grows while it is walked
        for end in edges[node]:
            waits[end] -= 1
            layer[end] = max(layer[end], layer[node] + 1)
            if not waits[end]:
                ready.append(end)
    if len(ready) < len(edges):
        raise MisfitError(_CYCLE)
    if sum(layer[end] - layer[node] for node, ends in edges.items() for end in ends) > MOST_PASSED:
        raise MisfitError(_TOO_MUCH).inside(".steps")


def _sizes(*sizes: int) -> None:
    for size in sizes:
        if not 0 <= size <= MOST:
            raise MisfitError(_SIZE, size)


def _names(*names: str) -> None:
    for name in names:
        if len(name) > MOST_IN_NAME:
            raise MisfitError(_LONG, excerpt(name))

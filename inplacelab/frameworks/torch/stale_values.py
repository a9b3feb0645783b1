"""Finds, in the graph of a PyTorch pass that failed, the saved tensor that was overwritten: by the error's message and what a ledger has noted."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple
from weakref import ref

import torch

from inplacelab.diagnosis.places import Place
from inplacelab.diagnosis.watch_log import MARKS, WRITES, Made, Pass, StorageLog, WatchLog, Write, since, unseen
from inplacelab.frameworks.torch.operand_names import Named, address_of, names_of
from inplacelab.frameworks.torch.passes import (
    Stale,
    in_order,
    is_second_pass,
    pass_arguments,
    reachable,
    root_node,
    stale,
    without_backward,
)
from inplacelab.frameworks.torch.readings import (
    SHOWS_SAVED,
    dtype_names,
    dtype_of,
    has_version,
    kind_of_layout,
    layout_of,
    node_of,
    saved_by,
    shape_of,
    shown,
    version_of,
)
from inplacelab.language import Text
from inplacelab.layout import Layout, share_slots
from inplacelab.recorders.backward_passes import PassArguments
from inplacelab.recorders.static import message_of
from inplacelab.recording.facts import FailureFacts, KeptFacts, OverwriteFacts, Sites
from inplacelab.recording.naming import operand_of
from inplacelab.recording.optimizer_steps import as_update
from inplacelab.recording.saved_uses import RUNNING, uses_of
from inplacelab.recording.trace import merged

_Tensor: Any = torch.Tensor

RESULTS = ("out", "result")
"""The beginnings of the names of saved results."""
OF_FUNCTION = "tensors"
"""The beginning of the names of what a `torch.autograd.Function` has saved."""
CHECKPOINTED = "checkpoint"
"""The name of what a `checkpoint` has saved, from which what a node needs is computed again."""
CHECKPOINTS = ("_NoopSaveInputsBackward", "CheckpointFunctionBackward")
"""The nodes with which `torch.utils.checkpoint` saves its input."""
COPY_SLICES = "CopySlices"
ANY = ("", 0)
"""Stands for any node of which a saved tensor was an output."""
AGAIN = 2
"""So many operands on one storage are the one that an operation has written, and another."""
_COPIES = frozenset({"setitem", "copy_", "fill_", "masked_fill_", "index_fill_", "index_copy_"})
"""Operations that save none of their operands but an index or a mask."""
MOST = 3
"""So many candidates are named if it is not certain what was saved."""


_HIDDEN = Text(
    "PyTorch does not show what the node that failed has saved, such as the one inside a CopySlices, or of a checkpoint. "
    "So this report relies on the versions and the shape in its message.",
    "PyTorch 不显示出错的节点保存了什么（例如 CopySlices 内部或 checkpoint 中的节点），因此以上是根据报错信息中的版本号和形状判断的。",
)
_SEVERAL = Text(
    "More than one saved value fits PyTorch's message, and PyTorch does not show which of them it was.",
    "符合 PyTorch 报错信息的保存值不止一个，PyTorch 不显示究竟是哪一个。",
)


@dataclass(slots=True)
class _Found:
    """What may be the saved tensor that a pass has found overwritten.

    Attributes:
        saved: the tensor.
        known: whether it is known to have been saved at the version that the error tells.
    """

    saved: KeptFacts
    known: bool = False


class StaleValues:
    """Finds saved tensors that were overwritten.

    Args:
        ledger: which lines made grad nodes, and which wrote storages.
        functions: nodes of the program's own functions that may not be reachable from the roots of a pass.
        home: returns the log that has the writes of a tensor that counts its versions apart from others on its storage.
    """

    def __init__(
        self, ledger: WatchLog, functions: Iterable[ref[Any]], home: Callable[[Any], StorageLog | None]
    ) -> None:
        self._ledger, self._functions, self._home = ledger, functions, home

    def silent(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], frame: Any, needed: Sites
    ) -> Iterator[FailureFacts]:
        """Yields what a pass, given its arguments and where it was called, will use that was overwritten without a new version."""
        for node in reachable(_roots(pass_arguments(args, kwargs))):
            for value, wrong in self.silently(node, frame):
                yield FailureFacts("silent", needed, (value,), wrong=wrong)

    def failed(
        self,
        message: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        frame: Any,
        needed: Sites,
        passes: Iterable[Pass],
    ) -> FailureFacts | None:
        """Returns why a pass has failed.

        Args:
            message: what its error says.
            args: its arguments.
            kwargs: those with a name.
            frame: where it was called.
            needed: the same as plain data.
            passes: the passes of its thread before it.

        Returns:
            The facts; None if it is not known.
        """
        told, asks = stale(message), pass_arguments(args, kwargs)
        if told is not None:
            values, remarks = self.found_by(asks, told, frame)
            return FailureFacts("stale", needed, tuple(values), remarks=tuple(remarks))
        if not is_second_pass(message):
            return None
        released = [each for each in reachable(_roots(asks)) if has_released(each)]
        return self._second_pass(needed, released, [*passes])

    def _second_pass(self, needed: Sites, released: Sequence[Any], passes: Sequence[Pass]) -> FailureFacts:
        """Returns what is known of a pass that found a node that has released what it had saved.

        It may have run other nodes before, and released what they had saved. These were made after the earlier pass.
        """
        known = [(each, _reached(each)) for each in reversed(passes)]
        for node in sorted(released, key=lambda each: -each._sequence_nr()):
            earlier = [
                each.place
                for each, reached in known
                if each.begun > node._sequence_nr() and (reached is None or node in reached)
            ]
            if earlier:
                sites = () if earlier[0] is None else earlier[0].facts
                return FailureFacts("again", needed, (self.of_node(node),), sites)
        return FailureFacts("again", needed, tuple(self.of_node(each) for each in released[:1]))

    def found_by(self, asks: PassArguments, told: Stale, frame: Any) -> tuple[list[KeptFacts], list[Text]]:
        """Returns what a pass has found overwritten.

        Args:
            asks: what the program has asked of the pass.
            told: what the error says of the saved tensor.
            frame: where the pass was called.

        Returns:
            The saved tensor; or those that it may be, the most probable first. And what that relies on, if it is not certain.
        """
        roots = _roots(asks)
        ends = [node for each in asks.inputs or () if (node := root_node(each)) is not None]
        order = in_order(roots, ends or None, fills=asks.fills)
        found = _distinct(self._candidates(order, told, frame))
        if not found:  # the node of a saved tensor may have been replaced since
            found = _distinct(self._candidates(order, replace(told, output_of=ANY), frame))
        if not found and not SHOWS_SAVED:
            found = [_Found(each, known=True) for each in islice(self._refusing(order, told), 1)]
        if len(found) == 1 and found[0].saved.certain:
            return [found[0].saved], []
        if found:
            remark = _HIDDEN if any(not each.saved.certain for each in found) else _SEVERAL
            return [replace(each.saved, certain=False) for each in found[:MOST]], [remark]
        return self._by_versions(told)[:MOST], [_HIDDEN]

    def silently(self, node: Any, frame: Any) -> Iterator[tuple[KeptFacts, tuple[str, ...]]]:
        """Yields what a node has saved and was overwritten without a new version, with the names of the leaves whose gradients use it."""
        made = self._maker(node)
        for name, kept in saved_by(node):
            data = kept.data
            if made is None or not _is_seen(kept) or kind_of_layout(data) is not torch.strided:
                continue
            if name in RUNNING and getattr(node, "_saved_training", True):  # it will not use them
                continue
            log, layout = self._find(data), layout_of(data)
            writes = [
                each
                for each in (() if log is None else log.writes)
                if (each.silent or each.counter.is_apart)
                and each.moment > made.moment
                and (each.layout is None or share_slots(each.layout, layout))
            ]
            using = _edges_using(node, name) if writes else []
            if using:
                leaves = (each.variable for each in reachable(using) if hasattr(each, "variable"))
                wrong = tuple(named.names[0] for leaf in leaves if (named := names_of(leaf, frame)).names)
                version = version_of(data)
                told = Stale(layout.shape, version, version)
                saved = self._saved(node, name, data, told, frame, made, made.place, writes)
                yield replace(saved, kept=None, found=None), wrong

    def _candidates(self, order: Sequence[Any], told: Stale, frame: Any) -> Iterator[_Found]:
        """Yields what fits the error, that of the node first which runs first, until one that certainly does: the pass has failed there."""
        others: list[Any] | None = None
        for node in order:
            hides = False
            for name, kept in saved_by(node):
                hides = hides or _is_packed(kept)
                for found in self._kept(node, name, kept, told, frame):
                    yield found
                    if found.known:
                        return
            if hides and others is None:  # what unpacks may have asked them for what they had saved
                others = self._functions_beside(order)
                yield from (each for other in others for each in self._saved_in(other, told, frame))
            if _shown(node) == COPY_SLICES:
                yield from self._inside(node, told, frame)

    def _kept(self, node: Any, name: str, kept: Any, told: Stale, frame: Any) -> Iterator[_Found]:
        if _is_packed(kept):
            for each, function in _inputs_of_checkpoint(kept.unpack_hook):
                if _is_seen(each) and _fits(node, CHECKPOINTED, each.data, told):
                    runs = type(function).forward if isinstance(function, torch.nn.Module) else function
                    code, made = getattr(runs, "__code__", None), self._maker(node)
                    place = None if made is None else made.place
                    outside = place if place is None or code is None else place.outside(code)
                    saved = self._saved(node, CHECKPOINTED, each.data, told, frame, made, outside)
                    yield _Found(saved, known=not saved.unseen)
        elif _is_seen(kept) and _fits(node, name, kept.data, told):
            yield from self._fitting_saved(node, name, kept.data, told, frame)

    def _saved_in(self, node: Any, told: Stale, frame: Any) -> Iterator[_Found]:
        for name, kept in saved_by(node):
            if _is_seen(kept) and _fits(node, name, kept.data, told):
                for found in self._fitting_saved(node, name, kept.data, told, frame):
                    yield _Found(replace(found.saved, certain=False))

    def _functions_beside(self, order: Sequence[Any]) -> list[Any]:
        """Returns the nodes of the program's functions that do not run, but those inside of `CopySlices`."""
        alive = dict.fromkeys(node for each in tuple(self._functions) if (node := each()) is not None)
        return [each for each in alive if each not in set(order)]

    def _fitting_saved(self, node: Any, name: str, data: Any, told: Stale, frame: Any) -> Iterator[_Found]:
        """Yields what a node has saved, if it may have saved it at the version that the error tells: for each line that may have made it."""
        makers = self._makers(node, data, told)
        for made in makers or (None,):
            saved = self._saved(node, name, data, told, frame, made, made.place if made else None)
            versions = [] if made is None else made.versions_of(self._address(data))
            possible = {max(versions)} if versions and name.startswith(RESULTS) else set(versions)
            if not possible:
                yield _Found(saved, known=len(makers) == 1 and not saved.unseen)
            elif told.kept_at in possible:
                yield _Found(saved, known=len(makers) == 1 and (len(possible) == 1 or not saved.unseen))

    def _makers(self, node: Any, data: Any, told: Stale) -> list[Made]:
        """Returns the operations that may have made a node: of those of several threads the ones that had such a tensor."""
        makers = self._ledger.makers(node._sequence_nr())
        if len(makers) > 1:
            address = self._address(data)
            makers = [each for each in makers if told.kept_at in each.versions_of(address)] or makers
        if len(makers) > 1:
            makers = [each for each in makers if _makes(each, node)] or makers
        return makers

    def _maker(self, node: Any) -> Made | None:
        """Returns the operation that made a node; None if it is not known."""
        makers = self._ledger.makers(node._sequence_nr())
        if len(makers) > 1:
            makers = [each for each in makers if _makes(each, node)]
        return makers[0] if len(makers) == 1 else None

    def _address(self, tensor: Any) -> int | None:
        """Returns the address of the storage on which a tensor began to count its versions."""
        home = self._home(tensor)
        return address_of(tensor) if home is None else home.address

    def _refusing(self, order: Sequence[Any], told: Stale) -> Iterator[KeptFacts]:
        """Yields what a node has saved that refuses to give it, for versions of PyTorch that show nothing else (2.6)."""
        for node in order:
            for name, message in _refused_by(node):
                if stale(message) != told:
                    continue
                made = self._maker(node)
                for each in self._ledger.logs():
                    found = self._fitting(each, told, node, made, checks_shape=False)
                    if found is not None:
                        yield replace(found, **_role(node, name, made)._asdict(), certain=True)

    def _saved(  # noqa: PLR0913, PLR0917  # what is known of it
        self,
        node: Any,
        name: str,
        data: Any,
        told: Stale,
        frame: Any,
        made: Made | None,
        place: Place | None,
        silent: Sequence[Write] = (),
    ) -> KeptFacts:
        log, layout, named = self._find(data), layout_of(data), names_of(data, frame)
        writes = [] if log is None or silent else since(log, told.kept_at, told.found_at)
        shown = writes or [one._replace(silent=True) for one in silent]
        role = _role(node, name, made)
        unseen_by, forgotten = _rest(log, writes, told)
        there, is_view, called = self._called_there(data, named, role.role, made, place)
        return KeptFacts(
            _shown(node), *role, names=named.names, is_view=is_view, there=there, called=called, dtype=dtype_names[dtype_of(data)],
            shape=tuple(layout.shape), kept=told.kept_at, found=told.found_at, op=made.op if made else "",
            sites=place.facts if place else (), writes=merged(_overwritten(each, layout, named) for each in shown),
            unseen=unseen_by, forgotten=forgotten,
        )  # fmt: skip

    def _called_there(
        self, data: Any, named: Named, role: str, made: Made | None, place: Place | None
    ) -> tuple[str, bool, str]:
        """Returns what the line that saved a tensor calls it, if it has no other name; whether its name is that of one of which it is a view; and what
        the caller of the function calls it.

        Args:
            data: the tensor.
            named: its names where backward was called.
            role: what it is to the operation that has saved it.
            made: that operation.
            place: where it ran.
        """
        if made is None or place is None or place is not made.place:
            return "", named.is_view, ""
        if role == "result":
            name, by_caller = place.assigned
            there, is_view, outside = ("" if by_caller else name), False, name if by_caller else ""
        else:
            there, is_view = made.label_of(id(data), address_of(data))
            outside = place.named_outside(there) if there else ""
        known = {there, *named.names, *(each.rpartition(".")[2] for each in named.names)}
        if named.names:
            return "", named.is_view, "" if outside in known else outside
        return there, is_view, "" if outside in known else outside

    def of_node(self, node: Any) -> KeptFacts:
        """Returns which line made a node that has released what it had saved."""
        made = self._maker(node)
        return KeptFacts(
            _shown(node), op=made.op if made else "", sites=made.place.facts if made and made.place else ()
        )

    def _inside(self, node: Any, told: Stale, frame: Any) -> Iterator[_Found]:
        """Yields what the operation inside of a `CopySlices` may have saved: some tensor that had this version when it ran.

        That a later line has overwritten it comes first, and then that the operation itself has.
        """
        made = self._maker(node)
        if made is None:
            return
        if made.op == "apply":
            for other in self._functions_beside(()):
                own = self._maker(other)
                if own is not None and (own.place, own.moment) == (made.place, made.moment):
                    yield from self._saved_in(other, told, frame)
            return
        itself = _plain(made.op) == (told.output_of or ANY)[0].lower()
        fitting = [
            found for each in self._ledger.logs() if (found := self._fitting(each, told, node, made)) is not None
        ]
        results = [each for each in fitting if each.role == "result"]
        for each in results if itself and results else fitting:
            yield _Found(each)

    def _by_versions(self, told: Stale) -> list[KeptFacts]:
        """Returns what may have been saved, judging by the versions of storages alone: the last written first."""
        logs = sorted(self._ledger.logs(), key=lambda each: -(each.writes[-1].moment if each.writes else 0))
        return [saved for each in logs if (saved := self._fitting(each, told, None, None)) is not None]

    def _fitting(
        self, log: StorageLog, told: Stale, node: Any, made: Made | None, *, checks_shape: bool = True
    ) -> KeptFacts | None:
        """Returns a storage as what may have been saved, by a node if it is given; None if its versions or its shapes differ."""
        writes = since(log, told.kept_at, told.found_at)
        if not writes or writes[-1].after != told.found_at:
            return None
        written = (each.layout for each in log.writes if each.layout)  # of views whose addresses others have now
        views = (*(each for each, _ in log.views.values()), *written)
        layout = next((each for each in views if each.shape == told.shape), None)
        if checks_shape and layout is None and told.shape not in log.shapes:
            return None
        name = "" if made is None else _saved_inside(made, log.address, told)
        if name is None:
            return None
        role = _role(node, name, made)
        unseen_by, forgotten = _rest(log, writes, told)
        return KeptFacts(
            "" if node is None else _shown(node), *role, shape=told.shape, kept=told.kept_at, found=told.found_at,
            op=made.op if made else "", sites=made.place.facts if made and made.place else (),
            writes=merged(_overwritten(each, layout, None) for each in writes), unseen=unseen_by, forgotten=forgotten,
            certain=False,
        )  # fmt: skip

    def _find(self, tensor: Any) -> StorageLog | None:
        """Returns what is known of that storage."""
        address = self._address(tensor)
        return self._home(tensor) or (None if address is None else self._ledger.find(address))


def _edges_using(node: Any, saved: str) -> list[Any]:
    """Returns the nodes that receive gradients computed from what a node has saved."""
    positions = uses_of(_shown(node), saved, trains=getattr(node, "_saved_training", True))
    edges = [each for each, _ in node.next_functions]
    return [each for place, each in enumerate(edges) if each is not None and (positions is None or place in positions)]


def _makes(made: Made, node: Any) -> bool:
    """Whether an operation and a node have the same name."""
    return _plain(made.op) == without_backward(node.name()).lower()


def _plain(op: str) -> str:
    """Returns the name of an operation as nodes have it: "maskedfill" for "masked_fill_"."""
    return op.replace("_", "")


def _saved_inside(made: Made, address: int, told: Stale) -> str | None:
    """Returns as what an operation on a view may have saved a tensor, given by its storage: its result or "". None if it cannot have."""
    versions = made.versions_of(address)
    if told.kept_at not in versions:
        return None
    if min(versions) == max(versions):  # it has not written it
        return None if made.op in _COPIES and _is_floating(told) else ""
    if told.kept_at == max(versions):
        return RESULTS[0]
    # PyTorch keeps a copy of what an operation writes, if backward needs it.
    return "" if versions.count(told.kept_at) >= AGAIN else None


def _rest(log: StorageLog | None, writes: Sequence[Write], told: Stale) -> tuple[int, int]:
    """Returns by how much a version rose in writes that were not seen, and in those that were forgotten."""
    rest = unseen(writes, told.kept_at, told.found_at)
    if log is None or not writes or len(log.writes) < WRITES or writes[0] is not log.writes[0]:
        return rest, 0
    forgotten = writes[0].before - told.kept_at
    return rest - forgotten, forgotten


def _distinct(found: Iterable[_Found]) -> list[_Found]:
    """Returns what was found, without what a reader could not tell apart."""
    kept: dict[Any, _Found] = {}
    for each in found:
        one = each.saved
        key = one.node, one.sites, one.role == "result", one.names, tuple(write.sites for write in one.writes)
        if key in kept and each.known:
            kept[key] = each
        kept.setdefault(key, each)
    return list(kept.values())


def _roots(asks: PassArguments) -> list[Any]:
    return [node for each in asks.roots if (node := root_node(each)) is not None]


def _reached(earlier: Pass) -> frozenset[Any] | None:
    """Returns the nodes that a pass could reach; None if a tensor with which it began is gone."""
    tensors = [each() for each in earlier.roots]
    if any(each is None for each in tensors):
        return None
    return frozenset(reachable([node for each in tensors if (node := root_node(each)) is not None]))


def has_released(node: Any) -> bool:
    """Whether a node had saved something and has released it."""
    if not SHOWS_SAVED:
        return any(is_second_pass(message) for _, message in _refused_by(node))
    saved = [kept.data for _, kept in saved_by(node)]
    return bool(saved) and all(each is None for each in saved)


def _refused_by(node: Any) -> Iterator[tuple[str, str]]:
    """Yields the names of the saved tensors that a node refuses to give, and what it says then.

    For versions of PyTorch that show nothing else (2.6). To ask unpacks what was saved, so only a pass that has failed is asked about.
    """
    for attribute in [each for each in dir(node) if each.startswith("_saved_")]:
        try:
            getattr(node, attribute)
        except RuntimeError as error:
            yield attribute.removeprefix("_saved_"), message_of(error)


def _is_seen(kept: Any) -> bool:
    """Whether a saved tensor is shown as it is: not packed by hooks, whose result PyTorch does not check."""
    return issubclass(type(kept.data), torch.Tensor) and not _is_packed(kept)


def _word(tensor: Any) -> str:
    """Returns the type of a tensor's elements in the word that messages have for it: "Float" in "torch.FloatTensor" or "CPUFloatType"."""
    return str(_Tensor.type(tensor)).rpartition(".")[2].removesuffix("Tensor")


def _is_floating(told: Stale) -> bool:
    return any(word in told.type for word in ("Float", "Double", "Half", "Complex"))


def _is_packed(kept: Any) -> bool:
    return getattr(kept, "unpack_hook", None) is not None


def _inputs_of_checkpoint(unpack: Any) -> Iterator[tuple[Any, Any]]:
    """Yields what a `checkpoint` has saved of its inputs, with its function, given the hook that unpacks what a node in it needs."""
    names = getattr(getattr(unpack, "__code__", None), "co_freevars", ())
    held = dict(zip(names, getattr(unpack, "__closure__", None) or (), strict=False))
    frame = held["frame"].cell_contents if "frame" in held else None
    again = getattr(frame, "recompute_fn", None)
    names = getattr(getattr(again, "__code__", None), "co_freevars", ())
    called = dict(zip(names, getattr(again, "__closure__", None) or (), strict=False)).get("fn")
    for each in getattr(frame, "saved_args", ()):
        if hasattr(each, "unpack_hook"):
            yield each, None if called is None else called.cell_contents


def _fits(node: Any, name: str, data: Any, told: Stale) -> bool:
    """Whether an error may be about what a node has saved."""
    if tuple(shape_of(data)) != told.shape or not has_version(data) or version_of(data) != told.found_at:
        return False
    if _word(data) not in told.type:
        return False
    maker = node if name.startswith(RESULTS) else node_of(data)
    if told.output_of == ANY or (
        name.startswith(OF_FUNCTION) and maker is None
    ):  # a function does not tell what was a result
        return True
    return (None if maker is None else without_backward(maker.name())) == (told.output_of and told.output_of[0])


def _shown(node: Any) -> str:
    return shown(str(node.name()))


class _Role(NamedTuple):
    """What a saved tensor is to the operation that saved it, and as which operand: see `KeptFacts`."""

    role: Literal["", "result", "operand", "forward", "checkpoint"]
    operands: tuple[str, ...] = ()
    positions: tuple[int, ...] = ()


def _role(node: Any, name: str, made: Made | None) -> _Role:
    """Returns what a saved tensor is to the operation that saved it, given by the derivative's name for it."""
    if name.startswith(RESULTS):
        return _Role("result")
    if name == CHECKPOINTED or (node is not None and _shown(node) in CHECKPOINTS):
        return _Role("checkpoint")
    if name.startswith(OF_FUNCTION):
        return _Role("forward")
    if not name:
        return _Role("")
    called, position = operand_of(name, made.op if made else "", len(made.labels) if made else 0)
    return _Role("operand", (called,) if called else (), () if position is None else (position,))


def _text_of(filename: str) -> str:
    return "".join(linecache.getlines(filename))


def _overwritten(write: Write, saved: Layout | None, named: Named | None) -> OverwriteFacts:
    """Returns a write as facts; `named` has the names of what is on the storage, if the layout `saved` is known and not only probable."""
    known = named is not None and write.layout is not None and saved is not None
    apart = known and not share_slots(write.layout, saved)  # type: ignore[arg-type]
    how: Literal["", "beside", "silent", "marked"] = (
        "silent" if write.silent else "marked" if write.op == MARKS else "beside" if apart else ""
    )
    found = OverwriteFacts(write.op, write.before, write.after, write.place.facts if write.place else (), how=how)
    found = as_update(found, write.update, _text_of)
    if write.layout is None or write.layout == saved or write.op == MARKS:
        return found
    sites = () if write.made is None else write.made.facts
    through, base = ((), "") if named is None else (named.of_view(write.layout, sites, found.sites), named.base)
    return replace(found, through=through, relation="view" if sites or base else "", base=base, made=sites)

"""Drawing what an event touched: which facts are new or different, in a `Changes`, for the next step of the recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inplacelab.autograd.nodes import AccumulateNode, Node, ViewNode
from inplacelab.recorders.portrait import Portraits
from inplacelab.recorders.steps import Changes, StepBuilder
from inplacelab.recording.facts import NodeStatus
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class Canvas:
    """What has been drawn so far, and how to draw more.

    Attributes:
        see: live objects as facts.
        build: the steps so far, and the last facts drawn of everything.
        simulated: True once a storage of a simulated device was drawn.
        here: the operation and the line being recorded.
    """

    def __init__(self, limit: int) -> None:
        self.see, self.build = Portraits(), StepBuilder(limit)
        self.simulated = False
        self.here: tuple[str, int | None] = ("", None)

    # ---- tensors, storages, nodes --------------------------------------------------------------------------------------

    def tensor(self, changes: Changes, tensor: Tensor) -> None:
        """A tensor, its storage, its base, its gradient and its node."""
        facts = self.see.tensor(tensor)
        if facts.id in changes.tensors:
            return
        changes.tensors[facts.id] = facts
        self.storage(changes, tensor.storage)
        for other in (tensor.base, tensor._grad):
            if other is not None:
                self.tensor(changes, other)
        if tensor.node is not None:
            self.node(changes, tensor.node)

    def storage(self, changes: Changes, storage: Storage) -> None:
        """A storage, if it is new or was written."""
        known = self.see.storages.known(storage)
        before = None if known is None else self.build.storages.get(known)
        if known in changes.storages or (before is not None and before.version == storage.version):
            return
        self.simulated |= storage.device.simulated
        facts = self.see.storage(storage)
        changes.storages[facts.id] = facts

    def node(self, changes: Changes, node: Node) -> None:
        """A node and every node it leads to that has not been drawn yet."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            serial = self.see.nodes.number(each)
            if serial in changes.nodes:
                continue
            known = serial in self.build.nodes
            if isinstance(each, ViewNode) and self.here[0]:
                self.see.origins.setdefault(serial, self.here)  # made anew because of this operation
            changes.nodes[serial] = self.see.node(each)
            for saved in each.saved:
                self.storage(changes, saved.storage)
            if isinstance(each, AccumulateNode):
                self.tensor(changes, each.leaf)
            if not known:
                waiting.extend(e for e in each.edges if e is not None)

    def family(self, changes: Changes, storage: Storage) -> None:
        """Every tensor known to look at a storage that was written: its history may be another now."""
        for _, tensor in self.see.tensors:
            if tensor.storage is storage:
                self.tensor(changes, tensor)

    # ---- names and flags -------------------------------------------------------------------------------------------------

    def names(self, changes: Changes, bound: dict[int, tuple[str, ...]], *, done: bool) -> None:
        """The names that tensors have now, by `id`.

        Only names are drawn: whatever else is new is newer than the step that they belong to. In the middle of a
        statement (not `done`) a tensor may be on its way out of a function, whose names are gone: it keeps the last ones.
        """
        known = self.build.tensors
        if not done:
            kept = {id(t): known[n].names for n, t in self.see.tensors if n in known and id(t) not in bound}
            bound = {**kept, **bound}
        self.see.names = bound
        self.gradient_names()
        for serial, tensor in self.see.tensors:
            names = self.see.names.get(id(tensor), ())
            if serial in known and known[serial].names != names:
                changes.tensors[serial] = replace(known[serial], names=names)

    def gradient_names(self) -> None:
        """`x.grad` is a name too, if nothing better is bound to it."""
        names = dict(self.see.names)
        for _, tensor in self.see.tensors:
            owner = names.get(id(tensor))
            if tensor._grad is not None and owner and not names.get(id(tensor._grad)):
                names[id(tensor._grad)] = (f"{owner[0]}.grad",)
        self.see.names = names

    def flags(self, changes: Changes) -> None:
        """Tensors whose `stop_gradient` or `.grad` a statement has set: no operation tells of it."""
        for serial, tensor in self.see.tensors:
            known = self.build.tensors.get(serial)
            gradient = None if tensor._grad is None else self.see.tensors.known(tensor._grad)
            if known is not None and (known.needs_gradient == tensor._stop or known.grad != gradient):
                self.tensor(changes, tensor)

    def gone(self, changes: Changes) -> None:
        """What has died since this was last asked."""
        see = self.see
        for registry, drawn in (
            (see.tensors, changes.tensors),
            (see.storages, changes.storages),
            (see.nodes, changes.nodes),
        ):
            while registry.gone:
                drawn[registry.gone.pop()] = None

    # ---- where backward stands with the nodes ----------------------------------------------------------------------------

    def status(self, changes: Changes, node: Node, status: NodeStatus) -> None:
        """A node that backward has come to."""
        serial = self.see.nodes.number(node)
        self.see.statuses[serial] = status
        self.node(changes, node)
        changes.nodes[serial] = self.see.node(node)

    def progress(self, changes: Changes) -> None:
        """Nodes whose status or saved tensors have changed by what another node handed on or let go."""
        for serial, node in self.see.nodes:
            known = self.build.nodes.get(serial)
            if known and (known.status != self.see.statuses.get(serial, "") or known.released != node.released):
                changes.nodes.setdefault(serial, self.see.node(node))

    def copies(self, changes: Changes) -> None:
        """Nodes some of whose saved tensors were looked after: copied before the write, or untouched by it."""
        for serial, node in self.see.nodes:
            known = self.build.nodes.get(serial)
            before = [(s.copy, s.version) for s in known.saved] if known and not node.released else []
            if before and before != [(s.is_copy, s.version) for s in node.saved]:
                changes.nodes[serial] = self.see.node(node)
                for saved in node.saved:
                    self.storage(changes, saved.storage)

    def running(self, node: Node) -> Node:
        """The node on the way: `node` itself, or the `CopySlices` node that it is inside of."""
        for _, each in self.see.nodes:
            if getattr(each, "inner", None) is node:
                return each
        return node

    # ---- versions ----------------------------------------------------------------------------------------------------------

    def drawn_version(self, storage: Storage) -> int | None:
        """The version at which a storage was last drawn."""
        known = self.see.storages.known(storage)
        facts = None if known is None else self.build.storages.get(known)
        return None if facts is None else facts.version


def reachable(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node that the roots lead to, themselves included."""
    seen: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(e for e in node.edges if e is not None)

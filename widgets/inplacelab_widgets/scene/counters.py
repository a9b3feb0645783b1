"""Finds the version counters of each storage. Most have one; in PyTorch a write through `x.data` raises another one than a write through `x`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplacelab.recording.recording import Recording
from inplacelab.supported import terms_of
from inplacelab_widgets.scene.cards import Card
from inplacelab_widgets.scene.version_line import Raise


@dataclass(frozen=True, slots=True)
class Counter:
    """One version counter of a storage."""

    labels: tuple[tuple[int, str], ...]
    """(step, version) wherever the version changes."""
    raises: tuple[Raise, ...]
    cards: tuple[Card, ...]
    """The tensors that share it."""

    def names(self, last: int) -> Iterator[tuple[int, str]]:
        """Yields (step, the names of the tensors that share it) wherever they change, up to step `last`."""
        begun = {step for card in self.cards for step, _ in card.life.moments}
        for step in sorted(begun | {card.life.last + 1 for card in self.cards}):
            faces = [card.life.at(step) for card in self.cards]
            named = [chip for face in faces if face is not None and face.called.names for chip in face.chips]
            if step <= last:
                yield step, ", ".join(named)


def counters(recording: Recording) -> dict[int, dict[int, list[tuple[int, str]]]]:
    """Returns, for each storage and each of its counters, (step, version) wherever the version changes."""
    found: dict[int, dict[int, list[tuple[int, str]]]] = {}
    label = terms_of(recording).label
    for step in recording.steps:
        for key, facts in step.counters:
            if facts is not None:
                found.setdefault(facts.storage, {}).setdefault(key, []).append((step.index, label(facts.version)))
    return found


def counter_of(key: int, labels: Sequence[tuple[int, str]], raises: Sequence[Raise], cards: Sequence[Card]) -> Counter:
    """Returns a counter, out of all raises and all tensors of its storage."""
    sharing = (card for card in cards if any(face.facts.counter == key for face in card.life.every()))
    return Counter(tuple(labels), tuple(each for each in raises if each.counter == key), tuple(sharing))

"""What the browser is sent: launches, their fixed marks, the words. Plain lists and dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.devices.kernels import geometry
from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.drawing import WIDTH, Drawn
from inplacelab_widgets.kernel.fixed import device_of, facts_of, fixed_marks, height
from inplacelab_widgets.kernel.shown import Shown
from inplacelab_widgets.kernel.tables import Table, facts_table
from inplacelab_widgets.scene.marks import Words
from inplacelab_widgets.scene.measure import size_in_bytes


def payload(shown: Sequence[Shown]) -> dict[str, Any]:
    """Everything that is needed to show these launches without a kernel."""
    return {
        "width": WIDTH,
        "launches": [launch_payload(each) for each in shown],
        "words": {key: both(text) for key, text in (words.PLAYER | words.PICKED).items()},
        "keys": [[both(keys), both(does)] for keys, does in words.KEYS],
    }


def launch_payload(shown: Shown) -> dict[str, Any]:
    """One launch: numbers for the browser's arithmetic, marks for what never changes."""
    device = device_of(shown)
    return {
        "launch": shown.launch.to_json(),
        "sizes": [geometry.itemsize(each.dtype) if shown.drawable else 1 for each in shown.launch.operands],
        "stored": [size_in_bytes(each.storage_bytes) for each in shown.launch.operands],
        "storages": shown.storages,
        "places": shown.places,
        "step": shown.step,
        "drawable": shown.drawable,
        "title": both(title_of(shown)),
        "says": both(
            facts_of(shown) + Text(" · ", " · ") + (device if isinstance(device, Text) else Text(device, device))
        ),
        "height": height(shown),
        "marks": [mark(each) for each in fixed_marks(shown)],
        "facts": table(facts_table(shown)),
    }


def title_of(shown: Shown) -> Text:
    """A launch in a list of them."""
    name = Text(shown.launch.kernel, shown.launch.kernel)
    if shown.line is None:
        return name
    return name + Text(f" (line {shown.line})", f"（第 {shown.line} 行）")


def mark(drawn: Drawn) -> list[Any]:
    """One mark: tag, style, place, words."""
    return [drawn.tag, drawn.style, drawn.place, both(drawn.said)]


def table(given: Table) -> dict[str, Any]:
    """A table, in both languages."""
    return {
        "caption": both(given.caption),
        "heads": [both(each) for each in given.heads],
        "rows": [[both(cell) for cell in row] for row in given.rows],
    }


def both(said: Words | None) -> Any:
    """Words for the browser: a pair, unless they are the same in both languages."""
    return [said.en, said.zh] if isinstance(said, Text) else said

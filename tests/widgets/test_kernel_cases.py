"""What the browser works out for a picked thread is what Python does: both are held against one table of launches.

The table is `tests/js/kernel_cases.json`; `tests/js/kernel_geometry.test.mjs` reads it. To write it anew:

    python -m tests.widgets.test_kernel_cases
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inplacelab.devices.kernels import geometry
from inplacelab_widgets.kernel.formulas import slot_of
from inplacelab_widgets.kernel.payload import both, launch_payload, mark, table
from inplacelab_widgets.kernel.pick import Pick, accesses_at
from inplacelab_widgets.kernel.scene import picked_marks, spoken
from inplacelab_widgets.kernel.shown import Shown
from inplacelab_widgets.kernel.tables import picked_tables
from inplacelab_widgets.kernel.words import PICKED
from tests.widgets import kernel_launches

TABLE = Path(__file__).parents[1] / "js" / "kernel_cases.json"


def case(name: str, shown: Shown, picks: tuple[Pick, ...]) -> dict[str, Any]:
    sent = {key: launch_payload(shown)[key] for key in ("launch", "sizes", "stored", "storages", "places", "drawable")}
    return {
        "name": name,
        "shown": sent | {"turns": geometry.turns(shown.launch)},
        "picks": [picked(shown, p, whole=p is picks[0]) for p in picks],
    }


def picked(shown: Shown, pick: Pick, *, whole: bool) -> dict[str, Any]:
    """A pick, and what is worked out for it. All marks only if it is the first of its launch: the table must stay small."""
    names = [each.name for each in shown.launch.operands]
    done = accesses_at(shown, *pick)
    found = {
        "pick": pick._asdict(),
        "accesses": [
            {"operand": names.index(a.operand), "kind": a.kind, "slot": a.slot, "slots": a.slots} for a in done
        ],
        "says": both(spoken(shown, pick)),
        "slots": [both(slot_of(shown, pick, k)) for k in range(len(names))],
    }
    drawn = {
        "marks": [mark(each) for each in picked_marks(shown, pick)],
        "tables": [table(each) for each in picked_tables(shown, pick)],
    }
    return found | drawn if whole else found


def written() -> str:
    cases = ",\n".join(_json(case(name, *each)) for name, each in kernel_launches.CASES.items())
    return f'{{"words":{_json({key: both(text) for key, text in PICKED.items()})},"cases":[\n{cases}\n]}}\n'


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_the_table_that_the_browser_is_held_against_is_pythons() -> None:
    assert TABLE.read_text(encoding="utf-8") == written(), "write it anew: python -m tests.widgets.test_kernel_cases"


if __name__ == "__main__":
    TABLE.write_text(written(), encoding="utf-8")

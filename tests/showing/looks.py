"""What the tests of `show` share: the recording of a look, its state, and random programs that make and write views."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from inplacelab.recorders import existing
from inplacelab.recording import Recording, State


def looked(**given: Any) -> Recording:
    """The recording that is shown of tensors of one framework."""
    (recording,) = existing.recordings_of(existing.find(given))
    return recording


def state_of(**given: Any) -> State:
    return looked(**given).state()


@st.composite
def programs(draw: Any, views: Sequence[str], writes: Sequence[str]) -> list[str]:
    """Lines that make views, copies and results of earlier tensors, and write them. In `views` and `writes`, `x` stands for such a tensor."""
    lines, count = [], 1
    for _ in range(draw(st.integers(1, 8))):
        source = draw(st.sampled_from(["leaf", *(f"t{place}" for place in range(count))]))
        makes = draw(st.booleans())
        line = re.sub(r"\bx\b", source, draw(st.sampled_from(views if makes else writes)))
        lines.append(f"t{count} = {line}" if makes else line)
        count += makes
    return lines

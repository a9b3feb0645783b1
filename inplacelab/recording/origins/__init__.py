"""Where a number comes from, what it flows into, and where its gradient goes: answers from the facts of a recording.

Nothing of this is stored. An operation says by which rule its result depends on its operands (`inplacelab/dependence.py`); from the rule and
the shapes follow the elements (`recording/computed_from.py`), and from the layouts their slots. Names are given to slots, not to tensors:
through a view the same number is found.

* `elements.py`: elements and slots; which step put a number into a slot.
* `back.py`: the origins of a number in the last step that wrote its slot, with the arithmetic, `130 = 13 · 10`.
* `forward.py`: what it has flowed into, and what happened to a slot, step by step.
* `gradients.py`: which contributions were added up to a gradient: the paths that a pass should go, and those that it went.
* `one_pass.py`, `paths.py`: the facts of a pass, its hops, and what paths add up to, however many.
* `slopes.py`, `slope_table.py`: how strongly a result follows each operand.
* `words.py`: all of it in words; of a large storage only the rule.
"""

from __future__ import annotations

from inplacelab.recording.origins.back import Computed, Origin, computed, origins
from inplacelab.recording.origins.forward import Event, Flow, Flows, flows, flows_into, life, life_of_slot
from inplacelab.recording.origins.gradients import Contributions, contributions
from inplacelab.recording.origins.paths import GradientPath, Hop
from inplacelab.recording.origins.words import ByRule, by_rule

__all__ = [
    "ByRule",
    "Computed",
    "Contributions",
    "Event",
    "Flow",
    "Flows",
    "GradientPath",
    "Hop",
    "Origin",
    "by_rule",
    "computed",
    "contributions",
    "flows",
    "flows_into",
    "life",
    "life_of_slot",
    "origins",
]  # fmt: skip

"""The catalogue of refusals: what happened, why, and what to do instead, in both languages.

An error's first line is PaddlePaddle 3.3.1's own (so that a search for it finds the same pages), its exception type is
Paddle's too, wherever Paddle refuses the same with a sentence of its own. Below it stand two sentences of ours. What only a recorder can know (which line kept a value, which line
overwrote it) is added by the recorder as notes and is not part of `str(error)`.

All refusals are raised before anything was written: a refused operation leaves data, shape, dtype, version and history
as they were.

Every refusal is one entry in a chapter, a `.toml` file named after what the program did: a class, Paddle's headline, the
reason and the fix. An entry that is `like` another says only what differs. It is raised by its name, with a keyword for each
field in its texts: `raise errors.uneven_split(sections=n, shape=x.shape, axis=axis)`. `catalogue` makes refusals of entries,
`classes` has the classes to catch, `computed` the few refusals that must look at the values first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplacelab.errors.classes import *
from inplacelab.errors.computed import *

if TYPE_CHECKING:
    from inplacelab.errors.catalogue import Entry


def __getattr__(name: str) -> Entry:
    """An entry by its name. Most programs are refused nothing, so the catalogue is imported when the first one is asked for."""
    if not name.startswith("_"):
        from inplacelab.errors.catalogue import entries

        if name in entries():
            return entries()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)

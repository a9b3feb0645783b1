"""Pictures of a recording: the stepper for notebooks, and the same pictures as SVG, HTML and text.

>>> from inplacelab_widgets import Stepper, to_html, to_svg, to_text  # doctest: +SKIP

`Stepper` and `ListView` need Jupyter and are imported when first asked for; the others need nothing beyond `inplacelab`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplacelab_widgets.list_view import ListView
    from inplacelab_widgets.stepper import Stepper
    from inplacelab_widgets.twins import to_html, to_markdown, to_svg, to_text

__all__ = ["ListView", "Stepper", "to_html", "to_markdown", "to_svg", "to_text"]

_HOMES = {"ListView": "list_view", "Stepper": "stepper"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; there are: {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'twins')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""Pictures of a recording: the stepper for notebooks, and the same pictures as SVG, HTML and text.

>>> from inplacelab_widgets import Stepper, to_html, to_svg, to_text  # doctest: +SKIP

`Stepper`, the views of its panels and `ListView` need Jupyter and are imported when first asked for; the others need
nothing beyond `inplacelab`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplacelab_widgets.exports import to_html, to_markdown, to_png, to_svg, to_text
    from inplacelab_widgets.kernel.view import KernelView
    from inplacelab_widgets.list_view import ListView
    from inplacelab_widgets.panel_views import GraphView, MemoryView, MetadataView, StorageView, VersionView, View
    from inplacelab_widgets.stepper import Stepper

__all__ = [
    "GraphView",
    "KernelView",
    "ListView",
    "MemoryView",
    "MetadataView",
    "Stepper",
    "StorageView",
    "VersionView",
    "View",
    "to_html",
    "to_markdown",
    "to_png",
    "to_svg",
    "to_text",
]

_VIEWS = ("GraphView", "MemoryView", "MetadataView", "StorageView", "VersionView", "View")
_HOMES = {
    "KernelView": "kernel.view",
    "ListView": "list_view",
    "Stepper": "stepper",
    **dict.fromkeys(_VIEWS, "panel_views"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; there are: {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'exports')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

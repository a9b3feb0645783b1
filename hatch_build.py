"""What goes into the wheel beside the packages: the built lessons, for `inplacelab lab`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Lessons(BuildHookInterface):  # type: ignore[type-arg]  # hatchling asks for the class as it is
    """Packs the notebooks; an editable installation finds them in the clone, and so sees them as they are."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the notebooks that this wheel is to hold."""
        if version != "standard":
            return
        for notebook in sorted(Path(self.root, "notebooks").glob("??/*.ipynb")):
            packed = Path("inplacelab", "lessons", "notebooks", notebook.parent.name, notebook.name)
            build_data["force_include"][str(notebook)] = packed.as_posix()

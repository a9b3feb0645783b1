"""Which modules have examples that can be tried: those that import a framework only where it is installed."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [f"inplacelab/*/{name}*.py" for name in ("paddle", "torch") if find_spec(name) is None]

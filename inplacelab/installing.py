"""Says how something is installed in the Python that is running: with its own pip, and this package from where it came from.

A package that was installed from a clone is installed from there again, since an index may not have it.
Source: PEP 610 (`direct_url.json`).
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

from inplacelab.language import Text

NAME = "inplacelab"
_PIP = re.compile(r"""(?:python -m )?pip install (?P<quote>["']?)inplacelab(?:\[(?P<extra>\w+)\])?(?P=quote)""")


def python() -> str:
    """Returns the command of the Python that is running, as a shell takes it."""
    return _quoted(sys.executable or "python")


def command(package: str) -> str:
    """Returns the command that installs a package in the Python that is running.

    >>> from inplacelab.installing import command
    >>> command("torch").endswith(" -m pip install torch")
    True
    """
    return f"{python()} -m pip install {_quoted(package)}"


def requirement(extra: str = "") -> str:
    """Returns what pip is asked for to install this package again, from where it came from, with an extra."""
    came_from = _came_from()
    brackets = f"[{extra}]" if extra else ""
    return f"{NAME}{brackets} @ {came_from}" if "+" in came_from.partition("://")[0] else came_from + brackets


def spelled(text: Text) -> Text:
    """Returns a text in which `pip install inplacelab[...]` is the command for this machine."""
    en, zh = (_PIP.sub(lambda found: command(requirement(found["extra"] or "")), each) for each in (text.en, text.zh))
    return Text(en, zh)


@cache
def _came_from() -> str:
    # Imported here, since most programs never need what is said.
    import json  # noqa: PLC0415
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415
    from urllib.request import url2pathname  # noqa: PLC0415

    try:
        recorded = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:  # a clone on the path
        clone = Path(__file__).parents[1]
        return str(clone) if (clone / "pyproject.toml").is_file() else NAME
    if recorded is None:
        return NAME
    origin = json.loads(recorded)
    if vcs := origin.get("vcs_info"):
        return f"{vcs['vcs']}+{origin['url']}"
    address = urlsplit(origin["url"])
    if address.scheme != "file":
        return str(origin["url"])
    path = Path(url2pathname(address.path))
    return str(path) if path.exists() else NAME


def _quoted(word: str) -> str:
    if os.name == "nt":
        return f'"{word}"' if re.search(r"[\s&()\[\]^=;!'+,`~@]", word) else word
    return shlex.quote(word)

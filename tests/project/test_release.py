"""Tests that the tag, the version, the changelog and the citation of a release agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import inplacelab
import release

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def of_citation(field: str) -> str:
    (value,) = re.findall(rf"^{field}: (.*)$", CITATION, re.MULTILINE)
    return str(value).strip('"')


def test_the_version_is_read_as_the_package_has_it() -> None:
    assert release.version() == inplacelab.__version__


def test_the_changelog_begins_with_what_is_unreleased_and_then_has_each_version_with_its_date() -> None:
    first, *others = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert first == "[Unreleased]"
    assert others
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", other) for other in others)


def test_the_notes_of_a_release_are_its_section() -> None:
    version = inplacelab.__version__
    changelog = f"## [Unreleased]\n\n## [{version}] - 2026-01-02\n\nFirst.\n\n## [0.0.1] - 2026-01-01\n\nOlder.\n"
    assert release.notes(f"v{version}", changelog) == "First."
    with pytest.raises(ValueError, match=r"the tag is v9\.9\.9"):
        release.notes("v9.9.9", changelog)
    for incomplete in (changelog.replace("First.", ""), changelog.replace(" - 2026-01-02", "")):
        with pytest.raises(ValueError, match="says nothing"):
            release.notes(f"v{version}", incomplete)


def test_the_citation_is_of_the_newest_release() -> None:
    newest = re.findall(r"^## \[(\d[\d.]*)\] - (.*)$", CHANGELOG, re.MULTILINE)[0]
    assert (of_citation("version"), of_citation("date-released")) == newest
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert of_citation("license") == project["license"]

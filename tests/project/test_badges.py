"""Tests that the badges of the documents and the citation have the repository's address."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import badges
import make_site

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", badges.PAGES)
def test_the_badges_are_those_of_the_repository(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(badges.BADGE.findall(text)) == (1 if page.startswith("README") else 4)
    assert badges.with_badges_for(badges.repository(), text) == text


SITE_PAGES = (
    "course/lab/index.html?path={language}/01_storage_and_views.ipynb",
    "playground/?lang={language}",
    "docs/{language}/",
)
"""What the READMEs link to on the site."""


@pytest.mark.parametrize(("readme", "language"), [("README.md", "en"), ("README.zh.md", "zh")])
def test_a_readme_opens_lesson_1_the_playground_and_the_documentation(readme: str, language: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    linked = re.findall(r"\((https://[\w-]+\.github\.io/[^)]+)\)", text)
    assert sorted(linked) == sorted(badges.published() + page.format(language=language) for page in SITE_PAGES)


def test_the_site_is_where_pages_puts_it_and_has_what_is_linked() -> None:
    """`pages.yml` publishes the folder that `make site` writes as the root of the site."""
    workflow = (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")
    assert "run: make site\n" in workflow
    assert "path: build/site\n" in workflow
    assert {page.partition("/")[0] for page in SITE_PAGES} == {*make_site.PARTS}
    assert badges.published("Some-One/a.fork") == "https://some-one.github.io/a.fork/"


def test_the_citation_follows_a_fork() -> None:
    text = (ROOT / badges.CITATION).read_text(encoding="utf-8")
    assert badges.with_badges_for(badges.repository(), text) == text
    assert "\nrepository-code: https://github.com/some-one/a.fork\n" in badges.with_badges_for("some-one/a.fork", text)


def test_the_addresses_of_the_project_follow_the_first_one() -> None:
    text = (ROOT / badges.PROJECT).read_text(encoding="utf-8")
    assert badges.with_urls_for(badges.repository(), text) == text
    forked = badges.with_urls_for("some-one/a.fork", text)
    assert forked.count("some-one/a.fork") == 2
    assert forked.count("https://some-one.github.io/a.fork/") == 3
    assert badges.with_urls_for(badges.repository(), forked.replace("some-one/a.fork", badges.repository())) == text


def test_a_fork_changes_the_name_and_nothing_else() -> None:
    text = (ROOT / "docs/en/course.md").read_text(encoding="utf-8")
    forked = badges.with_badges_for("some-one/a.fork", text)
    assert forked.count("some-one/a.fork") == 4
    assert forked.count(site := badges.published("some-one/a.fork")) == 1
    assert forked.replace("some-one/a.fork", badges.repository()).replace(site, badges.published()) == text

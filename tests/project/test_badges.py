"""Tests that the badges of the documents and the citation have the repository's address."""

from __future__ import annotations

from pathlib import Path

import pytest

import badges

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", badges.PAGES)
def test_the_badges_are_those_of_the_repository(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(badges.BADGE.findall(text)) == (1 if page.startswith("README") else 4)
    assert badges.with_badges_for(badges.repository(), text) == text


def test_the_citation_follows_a_fork() -> None:
    text = (ROOT / badges.CITATION).read_text(encoding="utf-8")
    assert badges.with_badges_for(badges.repository(), text) == text
    assert "\nrepository-code: https://github.com/some-one/a.fork\n" in badges.with_badges_for("some-one/a.fork", text)


def test_the_addresses_of_the_project_follow_the_first_one() -> None:
    text = (ROOT / badges.PROJECT).read_text(encoding="utf-8")
    assert badges.with_urls_for(badges.repository(), text) == text
    forked = badges.with_urls_for("some-one/a.fork", text)
    assert forked.count("some-one/a.fork") == 4
    assert forked.replace("some-one/a.fork", badges.repository()) == text


def test_a_fork_changes_the_name_and_nothing_else() -> None:
    text = (ROOT / "docs/en/course.md").read_text(encoding="utf-8")
    forked = badges.with_badges_for("some-one/a.fork", text)
    assert forked.count("some-one/a.fork") == 4
    assert forked.replace("some-one/a.fork", badges.repository()) == text

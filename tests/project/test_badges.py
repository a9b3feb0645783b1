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
    assert len(badges.BADGE.findall(badges.once_published(text))) == (1 if page.startswith("README") else 4)
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
    assert {*linked} == {badges.published() + page.format(language=language) for page in SITE_PAGES}


def test_the_site_is_where_pages_puts_it_and_has_what_is_linked() -> None:
    """`pages.yml` publishes the folder that `make site` writes as the root of the site."""
    workflow = (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")
    assert "run: make site\n" in workflow
    assert "path: build/site\n" in workflow
    assert {page.partition("/")[0] for page in SITE_PAGES} == {*make_site.PARTS}
    assert badges.published("Some-One/a.fork") == "https://some-one.github.io/a.fork/"


# ---- what opens only once the project is published --------------------------------------------------------------------------------

CHANGING = (*badges.PAGES, *badges.OTHER_PAGES)
DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})
ONLY_ONCE_PUBLISHED = re.compile(
    rf"\((?P<link>(?:{re.escape(badges.published())}|https://mybinder\.org/v2/|https://pypi\.org/)[^)]*)\)"
)
until_published = pytest.mark.skipif(badges.PUBLISHED, reason="the project is published: the addresses open")


def sections(text: str) -> list[str]:
    return re.split(r"^## ", text, flags=re.MULTILINE)


@until_published
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_that_a_bare_clone_cannot_open_stand_together_and_say_so(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    with_links = [section for section in sections(text) if ONLY_ONCE_PUBLISHED.search(section)]
    assert len(with_links) == (document.relative_to(ROOT).as_posix() in badges.PAGES)
    for section in with_links:
        marked = badges.BEFORE_AND_AFTER.search(section)
        assert marked is not None
        assert re.search("once|之后", marked["until"])
        assert ONLY_ONCE_PUBLISHED.search(section[: marked.start()]) is None


@until_published
@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_none_of_these_links_is_the_only_way(readme: str) -> None:
    """Each stands in a row of a table, beside a command that does the same in a clone."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    shown = badges.BEFORE_AND_AFTER.sub(lambda found: found["until"], text)
    rows = [line for line in shown.splitlines() if ONLY_ONCE_PUBLISHED.search(line)]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == len(SITE_PAGES) + 1
    for row in rows:
        command = re.fullmatch(r"\|[^|]+\|[^|]+\| `make ([a-z-]+)(?: LESSONS=zh)?` \|", row)
        assert command is not None, row
        assert command[1] in targets


@until_published
@pytest.mark.parametrize("page", CHANGING)
def test_a_page_loses_its_marks_once_the_project_is_published(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    after = badges.once_published(text)
    assert badges.BEFORE_AND_AFTER.search(text)
    assert "published" not in after
    assert "PATH_OF_THE_CLONE" not in after
    assert badges.once_published(after) == after


@pytest.mark.skipif(not badges.PUBLISHED, reason="the project is not published yet")
@pytest.mark.parametrize("page", CHANGING)
def test_a_published_project_has_no_page_that_says_it_is_not(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert badges.once_published(text) == text


def test_no_other_document_is_marked() -> None:
    marked = {
        path.relative_to(ROOT).as_posix() for path in DOCUMENTS if "<!-- until" in path.read_text(encoding="utf-8")
    }
    assert marked == (set() if badges.PUBLISHED else {*CHANGING})


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

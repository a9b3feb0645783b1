"""A Sphinx extension: finds Chinese words. Sphinx's own search needs a dictionary of 19 MB for that; pairs of characters need none.

A text is indexed by its pairs of neighboring characters, and what is searched for is split in the same way, so a word is found
where all of its pairs are.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.search import zh

_CHINESE = re.compile(r"[\u4e00-\u9fff]+")


class ChineseSearch(zh.SearchChinese):
    """Chinese by pairs of characters, the rest as Sphinx has it."""

    language_name = "English"  # after which a page calls the stemmer: `SearchChinese` ships this one and names another, which is not there
    js_splitter_code = r"""
function splitQuery(query) {
  const words = [];
  for (const word of query.match(/[\u4e00-\u9fff]+|[\p{Letter}\p{Number}_]+/gu) || []) {
    if (!/[\u4e00-\u9fff]/.test(word) || word.length < 3) words.push(word);
    else for (let k = 0; k + 1 < word.length; k++) words.push(word.slice(k, k + 2));
  }
  return words;
}
"""

    def split(self, input: str) -> list[str]:  # noqa: A002  # Sphinx's name
        """Returns the words of a text as they are indexed."""
        return [pair for run in _CHINESE.findall(input) for pair in pairs(run)] + self.latin1_letters.findall(input)

    def word_filter(self, word: str) -> bool:
        return len(word) > 1 or _CHINESE.fullmatch(word) is not None


def pairs(run: str) -> list[str]:
    """Returns the pairs of neighboring characters of a run of Chinese.

    >>> pairs("版本号")
    ['版本', '本号']
    >>> pairs("叶")
    ['叶']
    """
    return [run] if len(run) < 2 else [run[k : k + 2] for k in range(len(run) - 1)]


def setup(app: Any) -> dict[str, bool]:
    """Registers the extension."""
    app.add_search_language(ChineseSearch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

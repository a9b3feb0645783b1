"""Writes the differences between the frameworks: the data of the lessons, and the page in both languages.

python docs/write_differences.py              # with the recorded answers
python docs/write_differences.py --record     # first record the answers: needs PyTorch and PaddlePaddle (the extra "oracle")
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from differences import data
from differences.page import PAGES, page
from differences.queries import all_answers
from inplacelab.lessons.differences import Answers, load

HERE = Path(__file__).parent


def record() -> tuple[dict[str, str], dict[str, Answers]]:
    """Runs every program in all three frameworks; returns their versions and answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        import paddle  # noqa: PLC0415  # only to record the answers again
        import torch  # noqa: PLC0415
    answers = {
        each.key: all_answers(each, paddle, torch) for chapter in data.chapters() for each in chapter.differences
    }
    print(f"recorded {len(answers)} programs")
    return {"paddle": paddle.__version__, "torch": torch.__version__.split("+")[0]}, answers


def main() -> None:
    """Writes the data, and from it one page for each language."""
    parser = argparse.ArgumentParser(description="Write the differences: the data of the lessons, and the page.")
    parser.add_argument("--record", action="store_true", help="first run every program in all three frameworks")
    versions, answers = record() if parser.parse_args().record else (load().versions, load().answers)
    chapters = data.chapters()
    if unanswered := [each.key for chapter in chapters for each in chapter.differences if each.key not in answers]:
        parser.error(f"no answers are recorded for {', '.join(unanswered)}: use --record")
    data.FILE.write_text(data.as_text(versions, chapters, answers), encoding="utf-8")
    load.cache_clear()
    for language, name in PAGES.items():
        (HERE / name).write_text(page(language), encoding="utf-8")
    print(f"wrote {data.FILE.name}, {', '.join(PAGES.values())}")


if __name__ == "__main__":
    main()

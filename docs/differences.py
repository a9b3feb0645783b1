"""Write the page of differences in both languages; ask the three frameworks again if told to.

python docs/differences.py              # from the recorded answers
python docs/differences.py --record     # first record the answers: needs PyTorch and PaddlePaddle (the extra "oracle")
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from inplacelab.differences import answers
from inplacelab.differences.asking import ask_all
from inplacelab.differences.page import PAGES, page
from inplacelab.differences.table import every

HERE = Path(__file__).parent
RECORD = Path(answers.__file__).with_name("answers.json")


def record() -> None:
    """Run every program in all three frameworks, and keep what they answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        import paddle  # noqa: PLC0415  # only where the answers are recorded anew
        import torch  # noqa: PLC0415
    asked = {each.key: ask_all(each, paddle, torch) for _, each in every()}
    versions = {"paddle": paddle.__version__, "torch": torch.__version__.split("+")[0]}
    RECORD.write_text(answers.as_text(asked, versions), encoding="utf-8")
    answers.recorded.cache_clear()
    print(f"recorded {len(asked)} programs")


def main() -> None:
    """Write one page for each language."""
    parser = argparse.ArgumentParser(description="Write the page of differences, in English and Chinese.")
    parser.add_argument("--record", action="store_true", help="first run every program in all three frameworks")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=HERE, help="where to write (default: beside this script)"
    )
    given = parser.parse_args()
    if given.record:
        record()
    for language, name in PAGES.items():
        (given.folder / name).write_text(page(language), encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()

"""Builds the documentation in both languages, as a folder of static files: `make docs`.

python docs/build_docs.py                        # into build/docs
python docs/build_docs.py --site ../           # as a folder of the site: `make site` does this

The folder can be copied anywhere, and read from a file: its links are relative. It asks nothing of another machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from badges import published, repository  # noqa: E402  # beside this file
from documentation import front, pages  # noqa: E402
from inplacelab.language import LANGUAGES  # noqa: E402

SPHINX_LANGUAGES = {"en": "en", "zh": "zh_CN"}


def build(output: Path, *, site: str = "") -> None:
    """Builds the documentation.

    Args:
        output: the folder for it. What is in it is replaced.
        site: the address of the site with the playground and the course, as seen from this folder; the published one if empty.

    Raises:
        subprocess.CalledProcessError: if Sphinx warns of anything, such as a link that leads nowhere.
    """
    shutil.rmtree(output, ignore_errors=True)
    for language in LANGUAGES:
        with TemporaryDirectory() as scratch:
            sources = Path(scratch, "sources")
            pages.assemble(
                language, sources, repository=f"https://github.com/{repository()}/blob/HEAD/", site=site or published()
            )
            _sphinx(language, sources, output / language, Path(scratch, "doctrees"))
            shutil.copytree(sources / "extra", output / language, dirs_exist_ok=True)
            for page in sources.rglob("*.md"):  # for programs, which read Markdown better
                shutil.copy(page, output / language / page.relative_to(sources))
    shutil.rmtree(output / "jupyter_execute", ignore_errors=True)  # copies of the lessons, which myst-nb leaves beside
    front.write(output)


def _sphinx(language: str, sources: Path, output: Path, doctrees: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet"]
    command += ["--conf-dir", str(HERE / "documentation"), "--doctree-dir", str(doctrees), "--jobs", "auto"]
    command += ["--define", f"language={SPHINX_LANGUAGES[language]}", str(sources), str(output)]
    subprocess.run(command, check=True, env={**os.environ, "INPLACELAB_LANGUAGE": language})


def main() -> None:
    """Builds into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Build the documentation in both languages.")
    parser.add_argument("--output", type=Path, default=HERE.parent / "build" / "docs", help="the folder to write")
    parser.add_argument(
        "--site", default="", help="the address of the site, as seen from that folder (default: the published one)"
    )
    options = parser.parse_args()
    print("Building the documentation in both languages: about three minutes on two cores ...", flush=True)
    build(options.output, site=options.site)
    print(f"Open {(options.output / 'index.html').resolve().as_uri()}")


if __name__ == "__main__":
    main()

"""Assembles the documentation as static files: `make docs`. The pages stand in `docs/en` and `docs/zh`, readable on GitHub as they are.

`pages.py` names the pages of one language and writes Sphinx's sources for them: pages of the repository with their links led to the
right place (`links.py`), and pages that are written from the package itself: the reference (`reference.py`), tables (`tables.py`),
the gallery (`gallery.py`) and the speed (`speed.py`). Sphinx builds them as `conf.py` says; `docstrings.py` and `chinese_search.py`
are its extensions.
"""

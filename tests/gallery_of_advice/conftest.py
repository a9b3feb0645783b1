"""The programs are read, and not collected as modules of tests."""

collect_ignore_glob = ["*/*.py"]

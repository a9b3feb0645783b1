"""The programs of the gallery are run by test_gallery.py. They fail on purpose, so nothing else imports them."""

collect_ignore = ["torch", "paddle"]

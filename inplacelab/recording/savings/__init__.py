"""Where a program may write in place, and what that saves: decided from a recording, without running anything.

    overwriting.py     which operations could overwrite their operand, and what forbids it
    sites.py           the same for each operation in the text: one edit changes all its runs
    joins.py           the same for tensors that are joined again of their parts, of which one has changed
    in_place_form.py   the edits
    written.py         the in-place operations that save nothing
    live_bytes.py      the live bytes, as they were and as they would be

`diagnosis/advise.py` tries what is found here.
"""

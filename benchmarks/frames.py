"""Draws single frames of unfamiliar programs with their code and their sentence masked, for a reader who judges them, and the key.

    python benchmarks/frames.py FOLDER KEY.md [number ...]

A picture should be understood at one look. A reader who has not seen the programs (`frame_programs.py`) says of each frame, from the
picture alone: which slots the step wrote, through which name, which other names show them, whether a saved value went stale in this very
step, and the old values. The key has the answers from the recording, and the line. Needs Playwright and Chromium, PyTorch and PaddlePaddle.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from drawing import browser_page
from frame_programs import PROGRAMS

from inplacelab.recording import queries
from inplacelab.recording.codec import load
from inplacelab.recording.facts import SavedFacts, StorageFacts, TensorFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import Runs, slot_value, slots_reached, touched
from inplacelab_widgets import to_html

SIZE = {"width": 1280, "height": 800}
MARK = re.compile(r"\s*# <-\s*(\w*)")
MASKED = ".ipl-code, .ipl-saying, .ipl-story, .ipl-toolbar, .ipl-title, .ipl-foot { visibility: hidden }"
MOST_SLOTS = 24
"""The most slots that the key lists with their values."""


def recorded(program: str, folder: Path) -> Recording:
    """Runs a program in a process of its own."""
    script, to = folder / "program.py", folder / "program.json"
    script.write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "inplacelab", "record", str(script), "--format", "json", "-o", str(to)]
    subprocess.run(command, check=False, capture_output=True)
    return load(to)


def step_of(recording: Recording, line: int, which: str) -> int:
    """The step that is judged: of a line that one that writes, or else its first."""
    steps = [step for step in recording.steps if step.line == line]
    chosen = {
        "": lambda: next((step for step in steps if step.writes), steps[0]),
        "write": lambda: next(step for step in reversed(steps) if step.writes),
        "last": lambda: [step for step in steps if step.writes][-1],
        "error": lambda: next(step for step in recording.steps if step.error),
    }
    return chosen[which]().index if which in chosen else steps[int(which) - 1].index


def answers(recording: Recording, index: int) -> Iterator[str]:
    """What a reader should tell of a step."""
    state, before = recording.state(index), recording.before(index)
    written = {storage: now for storage, each in touched(recording).items() if (now := each.get(index)) and now.written}
    if state.step.error is not None:
        yield f"refused: {state.step.error.message.splitlines()[0]}"
    if not written:
        yield "written: none"
    for storage, now in written.items():
        slots, facts, old = [*_each(now.written)], state.storages[storage], before.storages.get(storage)
        yield f"written: S{storage}, slots {_listed(now.written)}; with the value that was there: {_listed(now.same) or 'none'}"
        if old is not None and len(slots) <= MOST_SLOTS:
            changes = (f"{slot}: {slot_value(old, slot)} → {slot_value(facts, slot)}" for slot in slots)
            yield f"values: {', '.join(changes)}"
        writers = [write.tensor for write in state.step.writes if write.storage == storage]
        through = queries.with_a_name(recording, before, writers[0]) if writers else None
        called = state.tensors[through].names if through in state.tensors else ()
        yield f"through: {', '.join(called) or 'no name'}"
        others = [
            f"{', '.join(each.names)} ({_shown(facts, each, slots)})" for each in queries.tensors_on(state, storage)
        ]
        yield f"names on S{storage}: {'; '.join(others)}"
    new, all_stale = queries.newly_stale(recording, index), queries.stale(state)
    yield f"stale since this step: {_named(new)}; since an earlier one: {_named(set(all_stale) - set(new))}"
    unnoticed = [
        each
        for node in state.nodes
        for each in ((node, saved) for saved in queries.kept_by(state, node))
        if queries.overwritten_unnoticed(recording, state, *each)
    ]
    if unnoticed:
        yield f"overwritten, and backward will not notice: {_named(unnoticed)}"


def _each(runs: Runs) -> Iterator[int]:
    for first, end in runs:
        yield from range(first, end)


def _listed(runs: Runs) -> str:
    return ", ".join(str(first) if end == first + 1 else f"{first}-{end - 1}" for first, end in runs)


def _shown(storage: StorageFacts, tensor: TensorFacts, slots: list[int]) -> str:
    seen = set(_each(slots_reached(storage, tensor))).intersection(slots)
    return (
        "shows all of them"
        if len(seen) == len(slots)
        else f"shows {sorted(seen)[:MOST_SLOTS]}"
        if seen
        else "shows none"
    )


def _named(stale: Iterable[tuple[int, SavedFacts]]) -> str:
    return ", ".join(f"what node {node} saved of S{saved.storage} ({saved.name})" for node, saved in stale) or "nothing"


def main() -> None:
    """Draws the frames that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("key", type=Path, help="where the answers go")
    parser.add_argument("wanted", type=int, nargs="*", metavar="number", help="of a frame; all if none is given")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    told = []
    with browser_page() as page, TemporaryDirectory() as at:
        page.set_viewport_size(SIZE)
        for number, (importing, body) in enumerate(PROGRAMS, 1):
            if options.wanted and number not in options.wanted:
                continue
            program = importing + body
            line, which = next(
                (k, found[1]) for k, text in enumerate(program.split("\n"), 1) if (found := MARK.search(text))
            )
            recording = recorded(MARK.sub("", program), Path(at))
            index = step_of(recording, line, which)
            to_html(recording, Path(at) / "page.html")
            page.goto("about:blank")
            page.goto(f"{(Path(at) / 'page.html').as_uri()}#step={index + 1}")
            page.wait_for_function("() => document.querySelector('.ipl')")
            page.add_style_tag(content=MASKED)
            page.wait_for_timeout(600)
            page.screenshot(path=options.folder / f"{number:02}.png")
            source = "\n".join(f"    {each}" for each in program.rstrip().split("\n"))
            told.append(
                f"## {number:02}, step {index + 1}\n\n{source}\n\n"
                + "\n".join(f"- {each}" for each in answers(recording, index))
            )
            print(told[-1], flush=True)
    options.key.write_text("\n\n".join(told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

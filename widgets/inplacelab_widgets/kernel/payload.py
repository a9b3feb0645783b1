"""Builds the data for the player: launches as one scene, in which a step is a picked thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inplacelab.devices.kernels.geometry import WARP
from inplacelab.language import Text, enumerated
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.animation import animation_of, mark_of
from inplacelab_widgets.kernel.drawing import PAD, WIDTH, text
from inplacelab_widgets.kernel.fixed_marks import head_of
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.picks import Picks, description_of_picks, totals_of
from inplacelab_widgets.kernel.scene import costs_of, sentence_of
from inplacelab_widgets.kernel.tables import Table, facts_table, picked_tables
from inplacelab_widgets.scene.payload_parts import Json, Pools, in_both_languages
from inplacelab_widgets.scene.svg import Group, Panel
from inplacelab_widgets.scene.text_layout import Words
from inplacelab_widgets.words import PLAYER


def payload(launches: Sequence[tuple[ShownLaunch, Picks]]) -> Json:
    """Returns all data that the player needs to show these launches without a Jupyter kernel.

    Args:
        launches: each launch with the threads that are drawn of it.
    """
    pools = Pools()
    animations: dict[tuple[ShownLaunch, Picks], _Animation] = {}  # a training loop repeats the same launches
    steps: list[Json] = []
    groups: list[Group] = []
    tables: list[Json] = []
    says: list[tuple[int, Text]] = []
    for number, (shown, picks) in enumerate(launches):
        same = (shown._replace(step=None, line=None), picks)
        if same not in animations:
            animations[same] = _Animation(*same)
        animation, first = animations[same], len(steps)
        says.append((first, animation.head))
        groups.append(animation.group(first))
        tables += [pools.table(*each) for each in animation.tables(first)]
        steps += animation.steps(pools, number)
    # The last step is shown for steps of the program that launched no kernel.
    says.append((len(steps), words.NO_LAUNCH))
    groups.append(_nothing(len(steps)))
    steps.append(_step(pools, _no_launch_sentence(launches)))
    high = max(group.height for group in groups) + 2 * PAD
    panel = Panel("kernel", WIDTH + 2 * PAD, high, tuple(groups), tuple(says))
    blocks = dict.fromkeys(block for _, picks in launches for block in picks.blocks)
    return {
        "title": ", ".join(dict.fromkeys(shown.launch.kernel for shown, _ in launches)),
        "notes": [],
        "source": [],
        "axis": {"left": 0, "right": 0, "spacing": 1},
        "keys": [[in_both_languages(keys), in_both_languages(does)] for keys, does in words.KEYS],
        "words": {key: in_both_languages(description) for key, description in (PLAYER | words.PLAYER).items()}
        | {f"block {block}": in_both_languages(words.BLOCK.format(block=block)) for block in blocks},
        "opens": "kernel",
        "steps": steps,
        "panels": [pools.panel(panel)],
        "pages": [],
        "elsewhere": {},
        "threads": [],
        "tables": tables,
        "launches": [_facts_of(shown, picks) for shown, picks in launches],
        **dict.fromkeys(("layouts", "tensors", "kept", "writes", "predict"), ()),
        **pools.packed(),
    }


class _Animation:
    """A launch over its steps, counted from its first one. A launch without threads to pick has one step."""

    def __init__(self, shown: ShownLaunch, picks: Picks) -> None:
        self.launch, self.head = shown.launch, head_of(shown)
        self.threads = list(picks.threads(shown.launch.threads)) if shown.drawable else []
        self._told = [(sentence_of(shown, pick), costs_of(shown, pick)) for pick in self.threads]
        self._group = animation_of(shown, picks, self.threads)
        self._facts = facts_table(shown)
        warps = [(step, pick) for step, pick in enumerate(self.threads) if pick.thread % WARP == 0]
        self._picked = [(step, picked_tables(shown, pick)) for step, pick in warps]

    def group(self, first: int) -> Group:
        """Returns its marks, from step `first` on."""
        marks = [
            mark._replace(runs=tuple((first + step, look) for step, look in mark.runs)) for mark in self._group.marks
        ]
        return replace(self._group, first=first, last=first + self._group.last, marks=tuple(marks))

    def steps(self, pools: Pools, number: int) -> Iterator[Json]:
        """Yields the steps as `player/picks.js` reads them: `at` is the launch, the block, the turn, the warp, the lane, the thread."""
        for pick, (what, cost) in zip(self.threads, self._told, strict=True):
            warp, lane = divmod(pick.thread, WARP)
            yield _step(pools, _unstopped(what)) | {
                "detail": pools.says(cost),
                "phase": f"block {pick.block}",
                "ends": pick.thread + 1 == self.launch.threads or lane + 1 == WARP,
                "stop": lane == 0,
                "at": [number, pick.block, pick.turn, warp, lane, pick.thread],
            }
        if not self.threads:
            yield _step(pools, self.head) | {"at": [number, 0, 0, 0, 0, 0]}

    def tables(self, first: int) -> Iterator[tuple[Text, Sequence[Words], list[_Row]]]:
        """Yields its tables, from step `first` on, as `Pools.table` takes them."""
        after = first + self._group.last + 1
        yield self._facts.caption, (words.FACT, words.VALUE), _rows([(first, self._facts)], after)
        for position in range(len(self._picked[0][1]) if self._picked else 0):
            found = [(first + step, tables[position]) for step, tables in self._picked]
            yield found[0][1].caption, found[0][1].heads, _rows(found, after)


_Row = tuple[int, str, tuple[Words, ...] | None]


def _rows(found: Sequence[tuple[int, Table]], after: int) -> list[_Row]:
    """Yields the rows of a table over the steps, until it is gone."""
    most = range(max(len(table.rows) for _, table in found))
    rows = [(step, table.rows[k] if k < len(table.rows) else None, k) for step, table in found for k in most]
    return [*((step, f"row:{k}", cells) for step, cells, k in rows), *((after, f"row:{k}", None) for k in most)]


def _facts_of(shown: ShownLaunch, picks: Picks) -> Json:
    """The choices of a launch: its title, the number of blocks, threads and turns, and which of them are drawn."""
    facts: Json = {"title": in_both_languages(title_of(shown)), "step": shown.step, "picks": shown.drawable}
    if shown.drawable:
        facts |= {"of": totals_of(shown.launch), "drawn": in_both_languages(description_of_picks(shown.launch, picks))}
    return facts


def _step(pools: Pools, says: Text) -> Json:
    return {"line": None, "ends": True, "phase": "", "error": False, "stop": True, "says": pools.says(says)}


def _unstopped(sentence: Text) -> Text:
    """A sentence as a headline: without its full stop."""
    return Text(sentence.en.removesuffix("."), sentence.zh.removesuffix("。"))


def _nothing(step: int) -> Group:
    mark = mark_of(text(0, 13, "soft", words.NO_LAUNCH))
    return Group(PAD, PAD, WIDTH, 20, step, step, (mark,))


def _no_launch_sentence(launches: Sequence[tuple[ShownLaunch, Picks]]) -> Text:
    steps = dict.fromkeys(shown.step + 1 for shown, _ in launches if shown.step is not None)
    if not steps:
        return words.NO_LAUNCH
    steps_with_launches = words.IN_STEPS.format(steps=enumerated(map(str, steps)))
    return Text(f"{words.NO_LAUNCH.en} {steps_with_launches.en}", words.NO_LAUNCH.zh + steps_with_launches.zh)


def title_of(shown: ShownLaunch) -> Text:
    """Returns the title of a launch in a list of launches."""
    name = Text(shown.launch.kernel, shown.launch.kernel)
    if shown.line is None:
        return name
    return name + Text(f" (line {shown.line})", f"（第 {shown.line} 行）")

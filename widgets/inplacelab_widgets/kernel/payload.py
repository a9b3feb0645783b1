"""What the player is sent: launches as one scene, in which a step is a picked thread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from inplacelab.devices.kernels.geometry import WARP
from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.drawing import PAD, WIDTH, text
from inplacelab_widgets.kernel.film import film_of, mark_of
from inplacelab_widgets.kernel.fixed import head_of
from inplacelab_widgets.kernel.pick import Pick
from inplacelab_widgets.kernel.picks import Picks, said_of_picks, totals_of
from inplacelab_widgets.kernel.scene import spoken
from inplacelab_widgets.kernel.shown import Shown
from inplacelab_widgets.kernel.tables import Table, facts_table, picked_tables
from inplacelab_widgets.scene.asked import spoken as both
from inplacelab_widgets.scene.marks import Group, Panel
from inplacelab_widgets.scene.pools import Json, Pools
from inplacelab_widgets.words import PLAYER


def payload(launches: Sequence[tuple[Shown, Picks]]) -> Json:
    """Everything that the player needs to show these launches without a kernel.

    Args:
        launches: each with the threads that are drawn of it.
    """
    pools = Pools()
    films = [_Film(pools, number, shown, picks) for number, (shown, picks) in enumerate(launches)]
    steps: list[Json] = []
    groups: list[Group] = []
    tables: list[Json] = []
    says: list[tuple[int, Text]] = []
    for film in films:
        says.append((len(steps), head_of(film.shown)))
        groups.append(film.group(len(steps)))
        tables += film.tables(len(steps))
        steps += film.steps()
    # A step of the program that launched nothing is shown, too: this is the last one.
    says.append((len(steps), words.NO_LAUNCH))
    groups.append(_nothing(len(steps)))
    steps.append(_step(pools, _nothing_said(launches)))
    high = max(group.height for group in groups) + 2 * PAD
    panel = Panel("kernel", WIDTH + 2 * PAD, high, tuple(groups), tuple(says))
    return {
        "title": ", ".join(dict.fromkeys(shown.launch.kernel for shown, _ in launches)),
        "simulated": False,  # the picture says it
        "truncated": 0,
        "source": [],
        "axis": {"left": 0, "right": 0, "spacing": 1},
        "keys": [[both(keys), both(does)] for keys, does in words.KEYS],
        "words": {key: both(said) for key, said in (PLAYER | words.PLAYER).items()}
        | {f"block {block}": both(words.BLOCK.format(block=block)) for film in films for block in film.picks.blocks},
        "opens": "kernel",
        "steps": steps,
        "panels": [pools.panel(panel)],
        "pages": [],
        "elsewhere": {},
        "threads": [],
        "tables": tables,
        "launches": [film.facts() for film in films],
        **dict.fromkeys(("layouts", "tensors", "kept", "writes", "predict"), ()),
        **pools.packed(),
    }


class _Film:
    """One launch over its steps; one that has nothing to pick has one step."""

    def __init__(self, pools: Pools, number: int, shown: Shown, picks: Picks) -> None:
        self.pools, self.number, self.shown, self.picks = pools, number, shown, picks
        self.threads = list(picks.threads(shown.launch.threads)) if shown.drawable else []

    def group(self, first: int) -> Group:
        return film_of(self.shown, self.picks, first, self.threads)

    def steps(self) -> list[Json]:
        if not self.threads:
            return [_step(self.pools, head_of(self.shown)) | {"at": [self.number, 0, 0, 0, 0, 0]}]
        return [self._step(pick) for pick in self.threads]

    def _step(self, pick: Pick) -> Json:
        """As `player/picks.js` reads it: `at` is the launch, the block, the turn, the warp, the thread in it, the thread."""
        warp, lane = divmod(pick.thread, WARP)
        return _step(self.pools, spoken(self.shown, pick)) | {
            "phase": f"block {pick.block}",
            "ends": pick.thread + 1 == self.shown.launch.threads or lane + 1 == WARP,
            "stop": lane == 0,
            "at": [self.number, pick.block, pick.turn, warp, lane, pick.thread],
        }

    def facts(self) -> Json:
        """What is chosen from: how it is called, how many blocks, threads and turns there are, which of them are drawn."""
        facts: Json = {"title": both(title_of(self.shown)), "step": self.shown.step, "picks": bool(self.threads)}
        if self.threads:
            facts |= {"of": totals_of(self.shown.launch), "drawn": both(said_of_picks(self.shown.launch, self.picks))}
        return facts

    def tables(self, first: int) -> list[Json]:
        after = first + max(1, len(self.threads))
        columns = (words.FACT, words.VALUE)
        return [
            self._table(columns, [(first, facts_table(self.shown))], after),
            *(self._table(found[0][1].heads, found, after) for found in self._picked(first)),
        ]

    def _picked(self, first: int) -> list[list[tuple[int, Table]]]:
        """The tables of the picked warp over the steps, each by itself."""
        warps = [(step, pick) for step, pick in enumerate(self.threads, first) if pick.thread % WARP == 0]
        told = [[(step, table) for table in picked_tables(self.shown, pick)] for step, pick in warps]
        return [list(each) for each in zip(*told, strict=True)]

    def _table(self, columns: Sequence[str | Text], found: Sequence[tuple[int, Table]], after: int) -> Json:
        rows = [
            (step, f"row:{k}", table.rows[k] if k < len(table.rows) else None)
            for step, table in found
            for k in range(max(len(each.rows) for _, each in found))
        ]
        gone = [(after, key, None) for key in dict.fromkeys(key for _, key, _ in rows)]
        return self.pools.table(found[0][1].caption, columns, chain(rows, gone))


def _step(pools: Pools, says: Text) -> Json:
    return {"line": None, "ends": True, "phase": "", "error": False, "stop": True, "says": pools.says(says)}


def _nothing(step: int) -> Group:
    mark = mark_of(text(0, 13, "soft", words.NO_LAUNCH))
    return Group(PAD, PAD, WIDTH, 20, step, step, (mark,))


def _nothing_said(launches: Sequence[tuple[Shown, Picks]]) -> Text:
    steps = dict.fromkeys(shown.step + 1 for shown, _ in launches if shown.step is not None)
    if not steps:
        return words.NO_LAUNCH
    told = words.IN_STEPS.format(steps=", ".join(map(str, steps)))
    return Text(f"{words.NO_LAUNCH.en} {told.en}", words.NO_LAUNCH.zh + told.zh)


def title_of(shown: Shown) -> Text:
    """A launch in a list of them."""
    name = Text(shown.launch.kernel, shown.launch.kernel)
    if shown.line is None:
        return name
    return name + Text(f" (line {shown.line})", f"（第 {shown.line} 行）")

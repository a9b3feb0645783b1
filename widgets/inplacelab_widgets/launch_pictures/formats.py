"""Makes all pictures of a launch: the marks over all picks for the player, where a step is a picked thread, and the still picture, the page and the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from inplacelab.kernels.geometry import WARP
from inplacelab.language import Text, enumerated
from inplacelab_widgets.exports import image
from inplacelab_widgets.launch_pictures import words
from inplacelab_widgets.launch_pictures.blocks import (
    PAD,
    WIDTH,
    Drawn,
    Layers,
    Picks,
    Tag,
    description_of_picks,
    text,
    totals_of,
)
from inplacelab_widgets.launch_pictures.facts import Table, facts_table, fixed_marks, head_of, height, picked_tables
from inplacelab_widgets.launch_pictures.launches import Pick, ShownLaunch
from inplacelab_widgets.launch_pictures.picked_thread import (
    costs_of,
    description_of,
    hit_layers,
    picked_marks,
    sentence_of,
    thread_layers,
    warp_layers,
)
from inplacelab_widgets.page import packed_json, whole_page
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene.payload_parts import Json, Pools, in_both_languages
from inplacelab_widgets.scene.svg import Attributes, Group, Look, Mark, Panel, always, document, mark_at, placed, runs
from inplacelab_widgets.scene.text_layout import Words
from inplacelab_widgets.words.player import PLAYER

_Name = tuple[Tag, str]
"""Identifies a mark within a layer: its tag, and its pick or else its number."""


def animation_of(shown: ShownLaunch, picks: Picks, steps: Sequence[Pick]) -> Group:
    """Returns the marks of a launch over its steps.

    Args:
        shown: the launch.
        picks: the threads that are drawn.
        steps: the pick at each of its steps, from step 0 on; empty for a launch without threads to pick, which has one step.
    """
    marks = [mark_of(each) for each in fixed_marks(shown)]
    frames = list(enumerate(steps))
    warps = [(step, pick) for step, pick in frames if pick.thread % WARP == 0]
    marks += _animated((step, warp_layers(shown, pick)) for step, pick in warps)
    marks += _animated((step, thread_layers(shown, pick)) for step, pick in frames)
    marks += _animated((step, hit_layers(shown, pick, picks)) for step, pick in warps)
    return Group(PAD, PAD, WIDTH, height(shown), 0, max(1, len(steps)) - 1, tuple(marks))


def mark_of(drawn: Drawn) -> Mark:
    """Makes a mark that looks the same at every step."""
    return Mark(drawn.tag, _place(drawn), always(Look(drawn.style, drawn.content)))


def _animated(frames: Iterable[tuple[int, Layers]]) -> list[Mark]:
    """Merges the marks drawn for each step into marks over all steps."""
    found: dict[str, dict[_Name, list[tuple[int, Look | None]]]] = {}
    for step, layers in frames:
        for layer, drawn in layers.items():
            known = found.setdefault(layer, {})
            here = _named(drawn)
            for name, look in here.items():
                known.setdefault(name, []).append((step, look))
            for name in known.keys() - here.keys():
                known[name].append((step, None))
    return [
        Mark(tag, (), runs(looks), (key,) if key.startswith("pick:") else ())
        for known in found.values()
        for (tag, key), looks in known.items()
    ]


def _named(drawn: Iterable[Drawn]) -> dict[_Name, Look]:
    count: Counter[Tag] = Counter()
    found: dict[_Name, Look] = {}
    for each in drawn:
        found[each.tag, each.key or str(count[each.tag])] = Look(each.style, each.content, _place(each))
        count[each.tag] += 1
    return found


def _place(drawn: Drawn) -> Attributes:
    return tuple(drawn.place.items())


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
    nothing = mark_of(text(0, 13, "soft", words.NO_LAUNCH))
    groups.append(Group(PAD, PAD, WIDTH, 20, len(steps), len(steps), (nothing,)))
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
        """Yields the steps as `player/launch_picker.js` reads them: `at` is the launch, the block, the turn, the warp, the lane, the thread."""
        for pick, (what, cost) in zip(self.threads, self._told, strict=True):
            warp, lane = divmod(pick.thread, WARP)
            headline = Text(what.en.removesuffix("."), what.zh.removesuffix("。"))
            yield _step(pools, headline) | {
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


def svg(shown: ShownLaunch | None, pick: Pick, language: str) -> str:
    """Returns a launch with a picked thread as self-contained SVG; without a launch, a picture with a note."""
    if shown is None:
        drawn = mark_at(Mark("text", (("x", PAD), ("y", 26.0)), always(Look("text", words.NO_LAUNCH))), 0, language)
        return document((WIDTH + 2 * PAD, 44), [drawn], "", words.NO_LAUNCH.in_language(language))
    marks = fixed_marks(shown) + (picked_marks(shown, pick) if shown.drawable else [])
    inside = "".join(mark_at(mark_of(each), 0, language) for each in marks)
    size = (WIDTH + 2 * PAD, height(shown) + 2 * PAD)
    return document(size, [placed(inside, PAD, PAD)], shown.launch.kernel, alt_text(shown, pick).in_language(language))


def alt_text(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the picture in words."""
    head = head_of(shown)
    return head + Text(" ", "") + description_of(shown, pick) if shown.drawable else head


def html(shown: ShownLaunch | None, pick: Pick, language: str) -> str:
    """Returns the picture as HTML: an image with its tables folded below it. It is also shown in notebooks that are not trusted."""
    content = words.NO_LAUNCH if shown is None else alt_text(shown, pick)
    shown_tables = "" if shown is None else "".join(_table(each, language) for each in all_tables(shown, pick))
    summary = escape(PLAYER["tables"].in_language(language))
    folded = f"<details><summary>{summary}</summary>{shown_tables}</details>" if shown_tables else ""
    picture = image(svg(shown, pick, language), content.in_language(language))
    return f"<div>{picture}{folded}</div>"


def all_tables(shown: ShownLaunch, pick: Pick) -> list[Table]:
    """Returns all tables of a launch."""
    return [facts_table(shown), *(picked_tables(shown, pick) if shown.drawable else [])]


def _table(table: Table, language: str) -> str:
    heads = "".join(f'<th scope="col">{escape(_in(each, language))}</th>' for each in table.heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(_in(first, language))}</th>'
        + "".join(f"<td>{escape(_in(cell, language))}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in table.rows
    )
    head = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    return f"<table><caption>{escape(_in(table.caption, language))}</caption>{head}<tbody>{rows}</tbody></table>"


def _in(content: Words, language: str) -> str:
    return content.in_language(language) if isinstance(content, Text) else content


def plain(shown: ShownLaunch | None, pick: Pick, language: str) -> str:
    """Returns the picture and its tables as plain text."""
    if shown is None:
        return words.NO_LAUNCH.in_language(language) + "\n"
    parts = [alt_text(shown, pick).in_language(language).rstrip()]
    for table in all_tables(shown, pick):
        lines = [
            [_in(cell, language) for cell in row] for row in ((table.heads, *table.rows) if table.heads else table.rows)
        ]
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        spoken_lines = [
            "  " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        parts.append("\n".join([_in(table.caption, language), *spoken_lines]))
    return "\n\n".join(parts) + "\n"


def page(sent: dict[str, object], language: str, title: str, traits: dict[str, int]) -> str:
    """Returns an HTML page that shows the launches in any browser, from a file, without a network."""
    folder = "inplacelab_widgets/player"
    packed, player, style = packed_json(sent), javascript(), stylesheet()
    return whole_page(packed, player=player, style=style, folder=folder, title=title, language=language, options=traits)

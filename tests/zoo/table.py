"""Writes the page of the documentation that says what was tried: `python -m tests.zoo --write`."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from inplacelab.language import Text, speak
from inplacelab.listing import Cell, Group, Listing

from .entry import Entry

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"en": DOCS / "en" / "published_models.md", "zh": DOCS / "zh" / "published_models.md"}

_TITLE = Text("Published models", "已发表的模型")
_OTHER = Text("[中文](../zh/published_models.md)", "[English](../en/published_models.md)")
_ABOUT = Text(
    "{0} architectures of {1} published packages, built from their configurations without weights and run on tiny inputs, with {2}: each one plain, "
    "recorded, recorded up to a limit, explained, and compared with inplacelab's engine. This page is written by `python -m tests.zoo --write`.",
    "{1} 个已发布软件包中的 {0} 种网络结构：按配置构建、不带权重，在很小的输入上运行（{2}）。每一种都分别直接运行、记录、只记录到上限、解释，并与 "
    "inplacelab 的引擎比较。本页由 `python -m tests.zoo --write` 写出。",
)
_NOTHING = Text(
    "**Nothing changes.** In {0} of {1}, weights, gradients, losses, buffers, the state of optimizers and of random numbers, warnings, errors and all that is "
    "printed are the same to the bit in all five runs.",
    "**什么都不改变。** {1} 种中有 {0} 种：权重、梯度、损失、缓冲区、优化器与随机数的状态、警告、错误以及所有输出，在五次运行中逐位相同。",
)
_REPLAYED = Text(
    "**Recordings are true.** Of {1:,} recorded operations {0:,} were run again on PyTorch from their recorded inputs, and gave the recorded values, layouts, "
    "storages and versions to the bit. {2:,} gradients are those that the program had after its backward passes. The others were not run again: {3}.",
    "**记录是真实的。** 在记录的 {1:,} 次操作中，{0:,} 次用记录下的输入在 PyTorch 上重新运行，结果的数值、布局、存储和版本号与记录逐位相同。"
    "{2:,} 个梯度与程序在反向传播之后的梯度相同。其余的没有重新运行：{3}。",
)
_MEMORY = Text(
    "**Memory is counted as it is allocated.** At {0:,} of {1:,} statements the live bytes of the recording are those that PyTorch's profiler lists.",
    "**内存如实统计。** 在 {1:,} 条语句中的 {0:,} 条开始时，记录中的存活字节数与 PyTorch 的 profiler 列出的一致。",
)
_PLANTED = Text(
    "**A planted write is found.** After a module chosen at random, what it was given was overwritten. Backward failed for it in {1} of {2} that are trained, and "
    "`explain` named the line in {0}, and said in {3} that it does not watch compiled code, in which the line ran.",
    "**植入的写入都被找到。** 在随机选出的一个模块运行之后，覆盖它的输入。{2} 种被训练的结构中有 {1} 种因此反向传播失败，`explain` 指出了其中 {0} 种的那一行；"
    "另外 {3} 种的那一行在编译后的代码中运行，`explain` 说明了它不监视这样的代码。",
)
_ALARMS = Text(
    "**No false alarm.** Without that write, nothing was reported in {0} of {1}, and {2:,} gradients agree with inplacelab's engine.",
    "**没有误报。** 不植入写入时，{1} 种中有 {0} 种没有任何报告；{2:,} 个梯度与 inplacelab 引擎的结果一致。",
)
_COSTS = Text(
    "**What it costs**, as multiples of a plain step, by the processor's clock: recorded {0:.1f} in the median and {1:.1f} at the worst; after the limit {2:.1f} and "
    "{3:.1f}; explained {4:.1f} and {5:.1f}.",
    "**代价**，以直接运行一步所用的处理器时间为单位：记录时中位数 {0:.1f}、最多 {1:.1f}；到达上限之后 {2:.1f} 与 {3:.1f}；解释时 {4:.1f} 与 {5:.1f}。",
)
_ALL = Text("All of them", "全部")
_ALL_ABOUT = Text(
    "*Replayed* counts the operations that were run again, of all that are recorded. *Live bytes* counts the statements at which they were right. The "
    "numbers in the last column are those of the list below the table.",
    "“重放”是重新运行的操作数与记录的操作总数。“存活字节”是字节数正确的语句数。最后一列的编号见表后的列表。",
)
_NOT_SEEN = Text("What was not seen, or not compared", "没有看到或没有比较的")
_NOT_TRIED = Text("Not tried in this run: {0}.", "这次没有尝试：{0}。")
_HEADS = (
    Text("architecture", "结构"), Text("package", "软件包"), Text("what is run", "运行内容"), Text("parameters", "参数"), Text("events", "事件"),
    Text("replayed", "重放"), Text("live bytes", "存活字节"), Text("planted write", "植入的写入"), Text("recorded", "记录"),
    Text("after the limit", "上限之后"), Text("explained", "解释"), Text("notes", "说明"),
)  # fmt: skip
_FOUND, _HARMLESS, _NONE = Text("found", "找到"), Text("harmless", "无害"), Text("—", "—")
_COMPILED = Text("compiled", "已编译")
_MISSED = Text("**not found**", "**没有找到**")
_REASONS: Mapping[str, Text] = {
    "a storage too large to be recorded whole": Text(
        "an input too large for its values to be recorded whole", "输入太大，没有记录全部数值"
    ),
    "its result is gone, or has become another tensor": Text(
        "the result was gone at once, as in `Parameter(torch.empty(n))`",
        "结果随即消失，如 `Parameter(torch.empty(n))`",
    ),
    "its effect is not on values": Text("the operation sets flags and computes nothing", "操作只设置标志，不作计算"),
    "a tensor that is not recorded": Text(
        "an argument is no ordinary tensor: sparse, or made by `vmap`", "参数不是普通张量：稀疏的，或在 `vmap` 之中"
    ),
    "a tensor that is gone": Text("an argument was gone when the operation ended", "操作结束时参数已经消失"),
    "a tensor first seen as it was written": Text(
        "an argument was first seen when the operation had written it", "参数在被写入之后才首次出现"
    ),
    "not a call of PyTorch": Text("the step is not a single call of PyTorch", "这一步不是对 PyTorch 的一次调用"),
}
_CALLS = Text("`{0}` cannot be called with what is recorded", "仅凭记录无法调用 `{0}`")
_BYTES = Text(
    "memory that no operation returns was allocated and not counted: `autocast` keeps copies of weights, and `checkpoint` the state of random numbers",
    "有些已分配的内存不是任何操作的结果，没有计入：`autocast` 保存权重副本，`checkpoint` 保存随机数状态",
)
_OF_OTHERS = Text(
    "memory was counted that PyTorch has not allocated: tensors were made on arrays of NumPy",
    "计入了不是由 PyTorch 分配的内存：有些张量建立在 NumPy 数组之上",
)
_ENDED = Text(
    "inplacelab's engine compared only a part of the gradients: it had one second",
    "inplacelab 的引擎只比较了部分梯度：限时一秒",
)
_EVALUATED = Text("nothing was planted: no backward pass is run", "没有植入写入：不运行反向传播")
_NEVER_FAILS = Text(
    "backward did not fail for any of the writes that were planted: it needs none of these values",
    "植入的写入都没有使反向传播失败：它不需要这些值",
)
_FAULT = Text("**not as it should be**: {0}", "**不符**：{0}")


@dataclass
class Notes:
    """What is said of rows, each once, by its number in the order in which it was first said."""

    said: dict[Text, int] = field(default_factory=dict)

    def numbers(self, texts: Iterable[Text]) -> str:
        """Returns the numbers of some notes, which get one if they have none."""
        return ", ".join(str(self.said.setdefault(each, len(self.said) + 1)) for each in texts)


def write(entries: Sequence[Entry], found: Mapping[str, Any]) -> None:
    """Writes the page in both languages.

    Args:
        entries: the entries.
        found: what was found of each, by its name.
    """
    for language, path in PAGES.items():
        with speak(language):
            path.write_text(page(entries, found), encoding="utf-8")


def load(file: Path) -> Any:
    """Returns what was found of an entry; None if it was not tried."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def page(entries: Sequence[Entry], found: Mapping[str, Any]) -> str:
    """Returns the page in the current language."""
    tried = [each for each in entries if found.get(each.name)]
    rows, notes = [found[each.name] for each in tried], Notes()
    table = _table(tried, found, notes)
    missing = sorted({each.name for each in entries} - {each.name for each in tried})
    said = [f"{number}. {each}" for each, number in notes.said.items()]
    parts = [
        f"# {_TITLE}", f"{_OTHER}", _about(tried, rows), *map(str, _summary(tried, rows)), f"## {_ALL}", f"{_ALL_ABOUT}", *table.tables(),
        f"## {_NOT_SEEN}", "\n".join(said), *([str(_NOT_TRIED.format(", ".join(missing)))] if missing else []),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _about(tried: Sequence[Entry], rows: Sequence[Any]) -> str:
    packages = len({each.package for each in tried})
    return str(
        _ABOUT.format(
            len(rows), packages, f"PyTorch {version('torch').partition('+')[0]}, Python {platform.python_version()}"
        )
    )


def _summary(tried: Sequence[Entry], rows: Sequence[Any]) -> list[Text]:
    same = sum(not any("differs" in fault for fault in row["faults"]) for row in rows)
    quiet = sum(
        not any(fault.startswith(("recorded: ", "explained: ", "judged: ")) for fault in row["faults"]) for row in rows
    )
    left_out: Counter[Text] = Counter()
    for row in rows:
        for reason, count in row.get("replayed", {}).get("left_out", {}).items():
            left_out[_reason(reason)] += count
    memory = [row["replayed"]["memory"] for row in rows if "replayed" in row]
    planted = [row["planted"] for row in rows if "planted" in row]
    return [
        _NOTHING.format(same, len(rows)),
        _REPLAYED.format(
            _sum(rows, "replayed", "replayed"),
            _sum(rows, "replayed", "steps"),
            _sum(rows, "replayed", "gradients"),
            _joined(left_out),
        ),
        _MEMORY.format(
            sum(each["statements"] - each["differing"] for each in memory), sum(each["statements"] for each in memory)
        ),
        _PLANTED.format(
            sum(each["found"] for each in planted),
            sum(each["fails"] for each in planted),
            sum(each.train for each in tried),
            sum(each["compiled"] for each in planted),
        ),
        _ALARMS.format(quiet, len(rows), _sum(rows, "judged", "compared")),
        _COSTS.format(
            *(figure for way in ("recorded", "limited", "explained") for figure in _middle_and_worst(rows, way))
        ),
    ]


def _joined(counts: Counter[Text]) -> Text:
    most = counts.most_common()
    return Text(
        "; ".join(f"{each.en} ({count:,})" for each, count in most),
        "；".join(f"{each.zh}（{count:,}）" for each, count in most),
    )


def _sum(rows: Sequence[Any], way: str, what: str) -> int:
    return sum(row.get(way, {}).get(what, 0) for row in rows)


def _middle_and_worst(rows: Sequence[Any], way: str) -> tuple[float, float]:
    ratios = [ratio for row in rows if (ratio := _ratio(row, way))]
    return (median(ratios), max(ratios)) if ratios else (0.0, 0.0)


def _ratio(row: Any, way: str) -> float:
    seconds = row.get("seconds", {})
    return seconds[way] / seconds["plain"] if seconds.get("plain") and way in seconds else 0.0


def _table(tried: Sequence[Entry], found: Mapping[str, Any], notes: Notes) -> Listing:
    families: dict[str, list[Sequence[Cell]]] = {}
    for each in tried:
        families.setdefault(each.family, []).append(_row(each, found[each.name], notes))
    groups = [Group(_FAMILIES.get(family, Text(family, family)), rows) for family, rows in sorted(families.items())]
    return Listing(_TITLE, _HEADS, groups)


def _row(entry: Entry, row: Any, notes: Notes) -> Sequence[Cell]:
    replayed, planted = row.get("replayed", {}), row.get("planted")
    memory = replayed.get("memory", {"statements": 0, "differing": 0})
    name = entry.name.removeprefix(entry.package).strip() or entry.name
    return (
        name, f"{entry.package} {row['version'].partition('+')[0]}", _what(entry), f"{row.get('parameters', 0):,}", f"{row.get('recorded', {}).get('events', 0):,}",
        f"{replayed.get('replayed', 0):,} / {replayed.get('steps', 0):,}", f"{memory['statements'] - memory['differing']} / {memory['statements']}",
        _of_planted(planted), *(f"{_ratio(row, way):.1f}" for way in ("recorded", "limited", "explained")), notes.numbers(_remarks(entry, row)),
    )  # fmt: skip


def _what(entry: Entry) -> Text:
    """Says how an entry is run."""
    kind = Text("training", "训练") if entry.train else Text("evaluation", "推理")
    about = [kind.en], [kind.zh]
    optimizer = entry.optimizer.partition("(")[0].rpartition(".")[2]
    for said, is_so in (
        (Text(optimizer, optimizer), entry.train and not entry.program), (Text("fused", "fused"), "fused=True" in entry.optimizer),
        (Text("foreach", "foreach"), "foreach=True" in entry.optimizer), (Text("autocast", "autocast"), entry.autocast),
        (Text("compiled", "编译"), entry.compiled),
    ):  # fmt: skip
        if is_so:
            about[0].append(said.en)
            about[1].append(said.zh)
    return Text(", ".join(about[0]), "，".join(about[1]))


def _of_planted(planted: Any) -> Text:
    if planted is None:
        return _NONE
    if not planted["fails"]:
        return _HARMLESS
    return _FOUND if planted["found"] else _COMPILED if planted["compiled"] else _MISSED


def _remarks(entry: Entry, row: Any) -> list[Text]:
    """Says what was not seen of an entry, or not compared, and what is not as it should be."""
    replayed, planted = row.get("replayed", {}), row.get("planted")
    said = [Text(*each) for each in row.get("recorded", {}).get("notes", ())]
    said += [_reason(each) for each in replayed.get("left_out", ())]
    differing = [more for _, more in replayed.get("memory", {}).get("where", ())]
    said += [_BYTES] * any(more > 0 for more in differing) + [_OF_OTHERS] * any(more < 0 for more in differing)
    if row.get("judged", {}).get("ended"):
        said.append(_ENDED)
    if not entry.train:
        said.append(_EVALUATED)
    elif planted is not None and not planted["fails"]:
        said.append(_NEVER_FAILS)
    said += [_FAULT.format(each.replace("\n", " ")[:200]) for each in row["faults"]]
    return list(dict.fromkeys(said))


def _reason(reason: str) -> Text:
    """Returns why an operation was not run again, in both languages."""
    return _REASONS.get(reason) or _CALLS.format(reason.partition(" ")[0])


_FAMILIES: Mapping[str, Text] = {
    "convolutional": Text("convolutional", "卷积"),
    "residual": Text("residual", "残差"),
    "dense": Text("dense", "密集连接"),
    "attention": Text("attention", "注意力"),
    "state-space": Text("state space", "状态空间"),
    "recurrent": Text("recurrent", "循环"),
    "detection": Text("detection", "检测"),
    "segmentation": Text("segmentation", "分割"),
    "diffusion": Text("diffusion", "扩散"),
    "graph": Text("graphs", "图网络"),
    "gan": Text("pairs (GAN)", "对抗网络"),
    "vae": Text("variational autoencoders", "变分自编码器"),
    "reinforcement": Text("agents", "强化学习"),
    "mixer": Text("mixers", "混合器"),
    "perceptron": Text("perceptrons", "感知机"),
}

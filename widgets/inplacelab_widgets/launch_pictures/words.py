"""All text of a kernel's picture, in English and Chinese."""

from __future__ import annotations

from inplacelab.language import Text

KINDS = {
    "contiguous": Text("elements side by side", "元素连续存放"),
    "strided": Text("elements where a layout puts them", "元素位置由布局决定"),
    "normalize": Text("a block for each row", "每行一个线程块"),
    "transpose": Text("tile by tile", "按分块搬运"),
    "transpose_square": Text("tiles change places", "分块互换位置"),
    "scatter_add": Text("atomic additions", "原子加法"),
    "library": Text("a kernel of the array library", "数组库自带的核函数"),
}
SIMULATED = Text("simulated: no GPU ran this", "模拟：未在 GPU 上运行")
UNNAMED_DEVICE = Text("GPU, name not recorded", "GPU，未记录名称")
TAKES_ONE = Text("each takes one {dtype} at a time", "每个线程每次处理 1 个 {dtype}")
TAKES_SEVERAL = Text("each takes {width} {dtype} at a time", "每个线程每次处理 {width} 个 {dtype}")
SIZE = Text("{blocks} × {threads} threads", "{blocks} × {threads} 个线程")
LIBRARY = Text(
    "Which thread touches which slot is not known: the text of this kernel is the library's, not ours.",
    "各线程访问哪些槽位未知：这个核函数的代码来自数组库。",
)
EMPTY = Text("There was nothing to compute: no thread was started.", "没有元素需要计算：没有启动任何线程。")
NO_LAUNCH = Text("No kernel was launched in this step.", "这一步没有启动核函数。")

# --- texts that depend on the pick---------------------------------------------------------------------------------------------

PICKED = {
    "grid": Text("Grid: block {block} of {blocks}", "网格：线程块 {block}，共 {blocks} 个"),
    "block": Text("Block {block}: thread {thread} of {threads}", "线程块 {block}：线程 {thread}，共 {threads} 个"),
    "blocks_shown": Text("drawn: blocks {first}–{last} of {blocks}", "图中为线程块 {first}–{last}，共 {blocks} 个"),
    "tiles_shown": Text(
        "drawn: columns {left}–{right} of {across}, rows {top}–{bottom} of {down}",
        "图中为第 {left}–{right} 列（共 {across} 列）、第 {top}–{bottom} 行（共 {down} 行）",
    ),
    "warp": Text("warp {warp}", "线程束 {warp}"),
    "turn": Text("Turn {turn} of {turns}", "第 {turn} 轮，共 {turns} 轮"),
    "reads": Text("reads", "读"),
    "writes": Text("writes", "写"),
    "adds": Text("adds", "原子加"),
    "whole": Text("all {size}", "共 {size}"),
    "takes_one": Text(
        "Thread {thread} of block {block} takes element {sum} = {first}.",
        "线程块 {block} 的线程 {thread} 处理元素 {sum} = {first}。",
    ),
    "takes_many": Text(
        "Thread {thread} of block {block} takes elements {sum} = {first} to {last}.",
        "线程块 {block} 的线程 {thread} 处理元素 {sum} = {first} 至 {last}。",
    ),
    "takes_none": Text(
        "Thread {thread} of block {block} has nothing to do in this turn.",
        "线程块 {block} 的线程 {thread} 在这一轮没有任务。",
    ),
    "row": Text(
        "Block {block} has row {row}. Thread {thread} takes column {sum} = {column}, {purpose}.",
        "线程块 {block} 负责第 {row} 行。线程 {thread} 处理第 {sum} = {column} 列，{purpose}。",
    ),
    "mean": Text("for the mean", "用于求均值"),
    "variance": Text("for the variance", "用于求方差"),
    "result": Text("for the result", "用于写结果"),
    "tile": Text(
        "Thread ({a}, {b}) of block ({across}, {down}): row {rows} = {row}, column {columns} = {column} of {name}.",
        "线程块 ({across}, {down}) 的线程 ({a}, {b})：{name} 的第 {rows} = {row} 行、第 {columns} = {column} 列。",
    ),
    "slot": Text("{element} → slot {sum} = {slot}", "{element} → 槽位 {sum} = {slot}"),
    "slots": Text("{element} … → slots {sum} = {slot} to {last}", "{element} … → 槽位 {sum} = {slot} 至 {last}"),
    "place": Text("index[{element}] sends it to slot {slot}", "index[{element}] 指向槽位 {slot}"),
    "somewhere": Text("the values of index decide which slot", "加到哪个槽位由 index 的值决定"),
    "untouched": Text("this thread does not touch it in this turn", "该线程在这一轮不访问它"),
    "cost": Text(
        "{sectors} sectors of 32 bytes for {wanted} bytes: {share} %",
        "{sectors} 个 32 字节扇区，需要 {wanted} 字节：{share} %",
    ),
    "cost_one": Text(
        "1 sector of 32 bytes for {wanted} bytes: {share} %", "1 个 32 字节扇区，需要 {wanted} 字节：{share} %"
    ),
    "cost_none": Text("no thread of this warp touches it in this turn", "这个线程束在这一轮不访问它"),
    "cost_unknown": Text("where it goes is not recorded", "未记录加到何处"),
    "coalesced": Text(", coalesced", "，合并访问"),
    "scattered": Text(", a sector for each thread", "，每个线程各占一个扇区"),
    "apart": Text(
        "{sectors} sectors of 32 bytes for {wanted} bytes: neighbors are {apart} bytes apart",
        "{sectors} 个 32 字节扇区，需要 {wanted} 字节：相邻线程相隔 {apart} 字节",
    ),
    "crowd": Text("; {crowd} threads meet on one slot", "；{crowd} 个线程落在同一槽位"),
    "requests": Text("What the warp asks for", "线程束的访问请求"),
    "threads": Text("The threads of the warp", "线程束中的线程"),
    "operand": Text("operand", "操作数"),
    "does": Text("does", "访问"),
    "taking_part": Text("threads", "线程数"),
    "wanted": Text("bytes used", "需要的字节"),
    "sectors": Text("sectors", "扇区数"),
    "requested": Text("bytes requested", "请求的字节"),
    "share": Text("used / requested", "需要 / 请求"),
    "thread": Text("thread", "线程"),
    "slots_of": Text("slots of {name}", "{name} 的槽位"),
    "comma": Text(", ", "、"),
    "drawn": Text("Can be picked: {picks}", "可选：{picks}"),
    "drawn_blocks": Text("blocks {drawn} of {all}", "线程块 {drawn}（共 {all} 个）"),
    "drawn_threads": Text("threads {drawn} of {all}", "线程 {drawn}（共 {all} 个）"),
    "drawn_turns": Text("turns {drawn} of {all}", "轮次 {drawn}（共 {all} 轮）"),
}

# --- what does not depend on the pick -----------------------------------------------------------------------------------------

TOTAL = Text("The whole launch", "整次启动")
TOTAL_READ = Text("read", "读")
TOTAL_WRITTEN = Text("written", "写")
TOTAL_REQUESTED = Text("requested", "请求")
IN_BYTES = Text("{bytes} bytes", "{bytes} 字节")
NOT_COUNTED = Text("not counted: too many rows, and no repeating pattern", "未计：行数过多，且没有重复的规律")
NOT_KNOWN = Text("not known", "未知")
BY_INDEX = Text(
    "not counted: it depends on the values of the index, which were not recorded",
    "未计：取决于 index 的值，而这些值没有记录",
)
IN_PLACE = Text(
    "In place: {name} is read and written in one storage; no new memory.",
    "原地：{name} 在同一存储中读写，不需要新内存。",
)
OUT_OF_PLACE = Text(
    "Out of place: the result lies in a storage of its own, {size} more.",
    "非原地：结果放在单独的存储中，多占 {size}。",
)
LEGEND = (
    Text("used by a thread", "线程需要的槽位"),
    Text("requested, but used by no thread", "随扇区一起请求，但没有线程需要"),
    Text("the selected thread's", "所选线程的槽位"),
    Text("frame: a sector of 32 bytes, the smallest unit of a request", "外框：一个 32 字节扇区，请求的最小单位"),
)
FACTS = Text("The launch", "这次启动")
FACT_NAMES = {
    "kernel": Text("kernel", "核函数"),
    "kind": Text("kind", "种类"),
    "grid": Text("blocks in the grid", "网格中的线程块"),
    "threads": Text("threads in a block", "每块线程数"),
    "width": Text("elements at a time", "每次处理的元素数"),
    "device": Text("device", "设备"),
    "read": Text("bytes read", "读取字节"),
    "written": Text("bytes written", "写入字节"),
    "requested": Text("bytes requested", "请求字节"),
}

# --- the player: where its words differ from those for a recording ------------------------------------------------------------

PLAYER = {
    "region": Text("Kernel: {title}", "核函数：{title}"),
    "toolbar": Text("Go from thread to thread", "逐个线程浏览"),
    "kernel": Text("Threads and memory", "线程与内存"),
    "first": Text("First thread (Home)", "第一个线程（Home）"),
    "previous": Text("Previous thread (Left)", "上一个线程（←）"),
    "next": Text("Next thread (Right)", "下一个线程（→）"),
    "last": Text("Last thread (End)", "最后一个线程（End）"),
    "slider": Text("Thread", "线程"),
    "position": Text("picture {step} of {steps}", "第 {step} 幅图，共 {steps} 幅"),
    "position_by_line": Text("warp {step} of {steps}", "第 {step} 个线程束，共 {steps} 个"),
    "mode_event": Text("by thread", "按线程"),
    "mode_line": Text("by warp", "按线程束"),
    "mode_event_hint": Text("every thread is a step (E)", "每个线程为一步（E）"),
    "mode_line_hint": Text("every warp is a step (E)", "每个线程束为一步（E）"),
    "keys": Text("← → thread · ↑ ↓ warp · ? all keys", "← → 线程 · ↑ ↓ 线程束 · ? 全部按键"),
    "launch": Text("Launch", "启动"),
    "block": Text("Block", "线程块"),
    "thread": Text("Thread", "线程"),
    "turn": Text("Turn", "轮次"),
    "drawn_hint": Text(
        "Any other thread can be picked in Python: KernelView(launch, block=7, thread=40).",
        "其他线程可以在 Python 中选择：KernelView(launch, block=7, thread=40)。",
    ),
    "of_all": Text("of {count}", "共 {count}"),
}
BLOCK = Text("block {block}", "线程块 {block}")
IN_STEPS = Text("Kernels were launched in steps {steps}.", "启动核函数的步骤：{steps}。")
FACT, VALUE = Text("fact", "项目"), Text("value", "值")
KEYS = (
    (Text("← →", "← →"), Text("previous and next thread", "上一个、下一个线程")),
    (Text("↑ ↓", "↑ ↓"), Text("previous and next warp", "上一个、下一个线程束")),
    (Text("PgUp PgDn", "PgUp PgDn"), Text("previous and next block", "上一个、下一个线程块")),
    (Text("[ ]", "[ ]"), Text("previous and next turn of the thread", "线程的上一轮、下一轮")),
    (Text("Home End", "Home End"), Text("first and last thread that can be picked", "可选的第一个、最后一个线程")),
    (Text("Space - +", "空格 - +"), Text("play or pause, slower, faster", "播放或暂停、减慢、加快")),
    (Text("E", "E"), Text("step by thread or by warp", "按线程或按线程束逐步查看")),
    (Text("F", "F"), Text("present: fill the screen", "演示：铺满屏幕")),
    (Text("? Esc", "? Esc"), Text("this list; close, leave", "此列表；关闭、离开")),
)

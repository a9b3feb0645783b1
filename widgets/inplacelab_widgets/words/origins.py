"""The text about where a number comes from."""

from __future__ import annotations

from inplacelab.language import Text

ORIGINS = {
    "origins": Text("Where this number comes from", "这个数从哪里来"),
    "origins_hint": Text(
        "[ back to its origins · ] on to what it flowed into · O its life", "[ 回到来源 · ] 前往去向 · O 查看经历"
    ),
    "origins_none": Text("Select a slot or an element first.", "请先选中一个槽位或元素。"),
    "origins_end": Text("Nothing further back.", "再往前没有了。"),
    "origins_last": Text("It has flowed into nothing.", "它没有流入任何地方。"),
    "origins_back": Text("{count} back: {says}", "往前 {count} 步：{says}"),
    "origins_into": Text("flowed into: {says}", "流入：{says}"),
    "origins_more": Text(" · and {count} more", " · 另有 {count} 个"),
    "origins_from": Text("From", "来源"),
    "origins_to": Text("Flowed into", "流入"),
    "origins_paths": Text("What the gradient is made of", "梯度由什么组成"),
    "life": Text("The slot's life", "槽位的经历"),
    "life_step": Text("step", "步"),
    "right_path": Text("right path: {path}", "正确的路径：{path}"),
    "used_path": Text("path that was used: {path}", "实际所用的路径：{path}"),
    "life_kinds": Text(
        "made|written|read|kept|overwritten while kept|found stale", "产生|写入|读取|保存|保存期间被覆盖|发现已过期"
    ),
    "life_of": Text("Life of slot {slot} of {storage}", "{storage} 第 {slot} 号槽位的经历"),
    "life_lines": Text("below: lines of the program", "下方：程序的行号"),
    "path_more": Text("and {count} more paths: O lists them", "另有 {count} 条路径：按 O 列出"),
    "path_overwrote": Text("line {line} overwrote the kept value", "第 {line} 行覆盖了保存的值"),
    "path_right": Text("right", "正确"),
    "path_used": Text("used", "实际"),
    "large": Text(
        "{storages}: more than {most} slots. Origins are told by rule, for all elements together.",
        "{storages} 的槽位多于 {most} 个，只按规则说明全部元素的来源。",
    ),
    "left_out": Text(
        "Origins of the first {most} numbers only; {left} are left out.", "只显示前 {most} 个数的来源，略去 {left} 个。"
    ),
}

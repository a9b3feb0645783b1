"""The text of predict mode."""

from __future__ import annotations

from inplacelab.language import Text

PREDICT = {
    "predict": Text("Predict", "预测"),
    "predict_hint": Text("Say what a step will do before it is shown (p)", "在显示每一步之前，先预测它的结果（p）"),
    "predict_next": Text("Next: line {line}", "接下来：第 {line} 行"),
    "predict_line": Text("Line {line}", "第 {line} 行"),
    "predict_step": Text("The next step", "下一步"),
    "predict_check": Text("Check and step", "检查并前进"),
    "predict_skip": Text("Skip", "跳过"),
    "predict_on": Text("Go on", "继续"),
    "predict_look": Text("Look at the picture", "看图"),
    "predict_choose": Text("Choose an answer to each question, or skip.", "请为每个问题选择答案，或者跳过。"),
    "predict_score": Text("Right so far: {right} of {given}", "目前答对：{right} / {given}"),
    "predict_hit": Text("✓ right", "✓ 正确"),
    "predict_wrong": Text("✗ wrong", "✗ 错误"),
    "predict_missed": Text("○ right, not chosen", "○ 正确，未选"),
    "predict_right": Text("✓ Right.", "✓ 答对了。"),
    "predict_not_right": Text("✗ Not quite.", "✗ 不完全对。"),
}

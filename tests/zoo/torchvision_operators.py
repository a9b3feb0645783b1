"""Stands in for the compiled operators of torchvision where they cannot be loaded: where it was built for another PyTorch, such as a GPU build.

Importing torchvision fails there, and so does importing timm and all else that imports it. Import this first: it declares the operators
that torchvision describes when it is imported, and gives `nms` a body in Python. The models of the zoo need no others: without its compiled
operators, torchvision computes `roi_align` in Python itself, and compiles that, for which there may be no compiler: here it is not compiled.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor

_SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def _are_loaded() -> bool:
    found = find_spec("torchvision")
    if found is None or found.origin is None:
        return True  # nothing to stand in for
    try:
        torch.ops.load_library(str(Path(found.origin).with_name("_C.so")))
    except OSError:
        return False
    return True


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Keeps the boxes of the highest scores, without those that overlap a better one."""
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    order, kept = scores.argsort(descending=True, stable=True), []
    while len(order):
        best, rest = order[0], order[1:]
        kept.append(best)
        low, high = torch.maximum(boxes[best, :2], boxes[rest, :2]), torch.minimum(boxes[best, 2:], boxes[rest, 2:])
        common = (high - low).clamp(min=0).prod(dim=1)
        order = rest[common / (areas[best] + areas[rest] - common) <= iou_threshold]
    return torch.stack(kept) if kept else torch.empty(0, dtype=torch.int64)


if "torchvision" not in sys.modules and not _are_loaded():
    LIBRARY = torch.library.Library("torchvision", "DEF")  # the operators exist for as long as this does
    for _name in ("nms", "qnms"):
        LIBRARY.define(_name + _SIGNATURE)
    LIBRARY.impl("nms", nms, "CPU")
    vars(import_module("torchvision.ops.boxes"))["_assert_has_ops"] = lambda: None
    aligning = vars(import_module("torchvision.ops.roi_align"))
    aligning["_roi_align"] = aligning["_roi_align"].__wrapped__

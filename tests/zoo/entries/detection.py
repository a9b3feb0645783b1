"""Models that find objects, of torchvision and transformers."""

from __future__ import annotations

from typing import Any

from tests.zoo.entries.building import ADAMW, FOREACH_ADAMW, FUSED_SGD, MOMENTUM, TORCHVISION
from tests.zoo.entry import Entry

_IMAGES = """
x = [torch.rand(3, 64, 64), torch.rand(3, 64, 64)]
y = [{"boxes": torch.tensor([[4.0, 4.0, 30.0, 30.0], [20.0, 10.0, 60.0, 50.0]]), "labels": torch.tensor([1, 2])} for _ in x]"""
_BACKBONE = """
from torchvision.models.mobilenetv2 import MobileNetV2
from torchvision.models.detection.anchor_utils import AnchorGenerator
backbone = MobileNetV2(inverted_residual_setting=[[1, 8, 1, 1], [6, 8, 1, 2], [6, 32, 1, 2]]).features[:-1]
backbone.out_channels = 32
anchors = AnchorGenerator(((16, 32),), ((0.5, 1.0),))
"""
_SIZES = "min_size=64, max_size=64, box_detections_per_img=5, rpn_post_nms_top_n_train=16, rpn_pre_nms_top_n_train=32, rpn_batch_size_per_image=16, "
_QUERIES = """
x = torch.randn(2, 3, 64, 64)
y = [{"class_labels": torch.tensor([0, 2]), "boxes": torch.tensor([[0.3, 0.3, 0.2, 0.2], [0.6, 0.5, 0.3, 0.4]])} for _ in range(2)]"""
_RESNET = (
    "use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=ResNetConfig(embedding_size=8, "
    "hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], layer_type='basic', out_features={})"
)
_DETR = (
    "d_model=32, encoder_layers=1, decoder_layers=2, encoder_ffn_dim=64, decoder_ffn_dim=64, encoder_attention_heads=2, "
    "decoder_attention_heads=2, num_queries=6, num_labels=3, "
)


def _torchvision(name: str, module: str, call: str, also: str = "", **options: Any) -> Entry:
    setup = f"{TORCHVISION}from torchvision.models.detection.{module} import {name}{also}{_BACKBONE}model = {name}({call}){_IMAGES}"
    return Entry(f"torchvision {name}", "torchvision", "detection", setup, "sum(model(x, y).values())", **options)


def _transformers(name: str, options: str, loss: str = "model(x, labels=y).loss", **more: Any) -> Entry:
    setup = f"{TORCHVISION}from transformers import ResNetConfig, {name}Config, {name}ForObjectDetection\n"
    setup += f"model = {name}ForObjectDetection({name}Config({options})){_QUERIES}"
    return Entry(f"transformers {name}", "transformers", "detection", setup, loss, **more)


ENTRIES = [
    _torchvision("FasterRCNN", "faster_rcnn", f"backbone, 3, rpn_anchor_generator=anchors, {_SIZES}", optimizer=MOMENTUM),
    _torchvision("RetinaNet", "retinanet", "backbone, 3, min_size=64, max_size=64, anchor_generator=anchors", optimizer=FUSED_SGD),
    _torchvision("FCOS", "fcos", "backbone, 3, min_size=64, max_size=64, anchor_generator=AnchorGenerator(((8,),), ((1.0,),))"),
    _torchvision("SSD", "ssd", "backbone, DefaultBoxGenerator([[2]]), (64, 64), 3, head=SSDHead([32], [4], 3)", also=", SSDHead, DefaultBoxGenerator"),
    Entry(
        "torchvision FasterRCNN that detects", "torchvision", "detection",
        f"{TORCHVISION}from torchvision.models.detection.faster_rcnn import FasterRCNN{_BACKBONE}"
        f"model = FasterRCNN(backbone, 3, rpn_anchor_generator=anchors, {_SIZES}rpn_post_nms_top_n_test=16){_IMAGES}",
        "model(x)", train=False,
    ),
    _transformers("Detr", _DETR + _RESNET.format(["stage4"]), optimizer=ADAMW),
    _transformers("ConditionalDetr", _DETR + _RESNET.format(["stage4"]), optimizer=FOREACH_ADAMW),
    _transformers(
        "DeformableDetr", _DETR + _RESNET.format(["stage2", "stage3", "stage4"]) + ", num_feature_levels=3, encoder_n_points=2, decoder_n_points=2"
    ),
    _transformers(
        "Yolos", "hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=[64, 64], patch_size=16, "
        "num_detection_tokens=5, num_labels=3",
    ),
]  # fmt: skip

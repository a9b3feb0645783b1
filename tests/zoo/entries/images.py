"""Models that classify images, of torchvision and timm: each architecture once, narrower and less deep than its smallest published size."""

from __future__ import annotations

from typing import Any

from tests.zoo.entries.building import ADAM, ADAMW, FUSED_ADAM, SGD, TORCHVISION, classifier, in_turn
from tests.zoo.entry import Entry

_TORCHVISION = (  # module, family, how the model is constructed, size of the images
    ("alexnet", "convolutional", "AlexNet()\nmodel.avgpool, model.classifier = nn.AdaptiveAvgPool2d(1), nn.Linear(256, 3)", 64),
    ("vgg", "convolutional", "VGG(make_layers([8, 'M', 16, 'M', 16, 'M'], batch_norm=True), 3)\n"
     "model.avgpool, model.classifier = nn.AdaptiveAvgPool2d(1), nn.Linear(16, 3)", 32),
    ("resnet", "residual", "ResNet(BasicBlock, [1, 1, 1, 1], num_classes=3)", 64),
    ("densenet", "dense", "DenseNet(8, (2, 2, 2), 16, num_classes=3, memory_efficient=True)", 32),
    ("squeezenet", "convolutional", "SqueezeNet('1_1', num_classes=3)", 64),
    ("shufflenetv2", "convolutional", "ShuffleNetV2([1, 2, 1], [8, 16, 32, 64, 64], num_classes=3)", 64),
    ("mobilenetv2", "residual", "MobileNetV2(3, inverted_residual_setting=[[1, 8, 1, 1], [6, 8, 2, 2], [6, 16, 1, 2]])", 32),
    ("regnet", "residual", "RegNet(BlockParams([1, 2], [8, 16], [4, 4], [1.0, 1.0], [2, 2], 0.25), 3, 8)", 32),
    ("efficientnet", "residual", "EfficientNet([MBConvConfig(4, 3, 2, 8, 16, 2), MBConvConfig(4, 5, 2, 16, 16, 2)], "
     "0.1, num_classes=3)", 32),
    ("convnext", "convolutional", "ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 2)], num_classes=3)", 32),
    ("vision_transformer", "attention", "VisionTransformer(32, 8, 2, 2, 32, 64, num_classes=3)", 32),
    ("swin_transformer", "attention", "SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=3)", 32),
)  # fmt: skip

_TIMM = (
    ("beit", "attention", "Beit(32, 8, num_classes=3, embed_dim=32, depth=2, num_heads=2, use_rel_pos_bias=True)", 32),
    ("byobnet", "residual", "test_byobnet(num_classes=3)", 64),
    ("byoanet", "attention", "ByobNet(ByoModelCfg((ByoBlockCfg('bottle', 1, 16, 2, 0, 0.25), ByoBlockCfg('self_attn', 1, 32, 2, 0, 0.25)), stem_chs=16, "
     "stem_type='3x3', self_attn_layer='bottleneck', self_attn_kwargs={}), 3, img_size=32)", 32),
    ("cait", "attention", "Cait(32, 8, num_classes=3, embed_dim=32, depth=2, num_heads=2)", 32),
    ("convmixer", "convolutional", "ConvMixer(16, 3, 5, 4, num_classes=3)", 32),
    ("convnext", "convolutional", "ConvNeXt(num_classes=3, depths=(1, 1, 1, 1), dims=(8, 16, 16, 32), use_grn=True)", 64),
    ("davit", "attention", "DaVit(num_classes=3, depths=(1, 1), embed_dims=(16, 32), num_heads=(2, 4), window_size=4)", 32),
    ("dla", "residual", "DLA([1, 1, 1, 1, 1, 1], [8, 8, 8, 16, 16, 32], num_classes=3, block=DlaBasic)", 64),
    ("edgenext", "attention", "EdgeNeXt(num_classes=3, dims=(16, 16, 32, 32), depths=(1, 1, 1, 1), heads=(2, 2, 2, 2))", 64),
    ("efficientvim", "state-space", "EfficientViM(num_classes=3, embed_dim=(16, 24, 32), depths=(1, 1, 1), state_dim=(9, 4, 4))", 64),
    ("eva", "attention", "Eva(32, 8, num_classes=3, embed_dim=32, depth=2, num_heads=2, swiglu_mlp=True, use_rot_pos_emb=True)", 32),
    ("fasternet", "convolutional", "FasterNet(num_classes=3, embed_dim=8, depths=(1, 1, 1, 1), feature_dim=32)", 64),
    ("fastvit", "convolutional", "FastVit(layers=(1, 1, 1, 1), embed_dims=(8, 16, 16, 32), num_classes=3)", 64),
    ("focalnet", "convolutional", "FocalNet(num_classes=3, embed_dim=8, depths=(1, 1, 1, 1))", 64),
    ("ghostnet", "convolutional", "GhostNet([[[3, 8, 8, 0, 1]], [[3, 16, 8, 0.25, 2]], [[5, 24, 16, 0, 2]]], 3, 0.5)", 32),
    ("hiera", "attention", "Hiera((64, 64), embed_dim=16, num_heads=1, num_classes=3, stages=(1, 1, 1, 1), mask_unit_size=(8, 8))", 64),
    ("inception_next", "convolutional", "MetaNeXt(num_classes=3, depths=(1, 1, 1, 1), dims=(16, 16, 32, 32))", 64),
    ("levit", "attention", "Levit(64, num_classes=3, embed_dim=(16, 32), key_dim=8, depth=(1, 1), num_heads=(2, 2))", 64),
    ("mambaout", "convolutional", "test_mambaout(num_classes=3)", 64),
    ("metaformer", "attention", "MetaFormer(num_classes=3, depths=(1, 1, 1, 1), dims=(8, 16, 16, 32))", 64),
    ("mlp_mixer", "perceptron", "MlpMixer(3, 32, patch_size=8, num_blocks=2, embed_dim=32)", 32),
    ("nest", "attention", "Nest(32, patch_size=4, num_levels=2, embed_dims=(16, 32), num_heads=(2, 4), depths=(1, 1), num_classes=3)", 32),
    ("nfnet", "residual", "test_nfnet(num_classes=3)", 64),
    ("pit", "attention", "PoolingVisionTransformer(32, 8, 4, base_dims=(16, 16), depth=(1, 1), heads=(1, 2), num_classes=3)", 32),
    ("rdnet", "dense", "RDNet(num_classes=3, growth_rates=(8, 8, 8), num_blocks_list=(2, 2, 2), num_init_features=8, "
     "block_type=('Block', 'BlockESE', 'BlockESE'), is_downsample_block=(None, True, True))", 64),
    ("repvit", "convolutional", "RepVit(img_size=64, embed_dim=(8, 16, 16, 32), depth=(1, 1, 1, 1), num_classes=3, distillation=False)", 64),
    ("resnetv2", "residual", "ResNetV2((1, 1, 1, 1), (128, 128, 128, 128), num_classes=3, stem_chs=32)", 64),
    ("sequencer", "recurrent", "Sequencer2d(3, 32, layers=(1, 1), patch_sizes=(4, 2), embed_dims=(16, 32), hidden_sizes=(8, 16), "
     "mlp_ratios=(2.0, 2.0))", 32),
    ("starnet", "convolutional", "StarNet(8, [1, 1, 1, 1], num_classes=3)", 64),
    ("swin_transformer_v2", "attention", "SwinTransformerV2(32, num_classes=3, embed_dim=16, depths=(2, 2), num_heads=(2, 4), window_size=4)", 32),
    ("vovnet", "dense", "VovNet(dict(stem_chs=[8, 8, 8], stage_conv_chs=[8] * 4, stage_out_chs=[16] * 4, layer_per_block=2, "
     "block_per_stage=[1] * 4, residual=True, depthwise=False, attn='ese'), num_classes=3)", 32),
    ("xception_aligned", "convolutional", "XceptionAligned([{'in_chs': 64, 'out_chs': 32, 'stride': 2}, {'in_chs': 32, 'out_chs': 64, 'stride': 1}], 3)", 32),
    ("xcit", "attention", "Xcit(32, 8, num_classes=3, embed_dim=32, depth=2, num_heads=2, eta=1.0)", 32),
)  # fmt: skip

_WITH = {  # what is imported besides
    "timm byoanet": ("ByoModelCfg", "ByoBlockCfg"),
    "timm dla": ("DlaBasic",),
    "torchvision convnext": ("CNBlockConfig",),
    "torchvision efficientnet": ("MBConvConfig",),
    "torchvision regnet": ("BlockParams",),
    "torchvision resnet": ("BasicBlock",),
    "torchvision vgg": ("make_layers",),
}
_MORE: dict[str, dict[str, Any]] = {  # beside or instead of the optimizer in turn
    "torchvision alexnet": {"optimizer": FUSED_ADAM},
    "timm byobnet": {"autocast": True},
    "timm convmixer": {"autocast": True},
    "timm convnext": {"autocast": True},
    "timm eva": {"autocast": True},
    "torchvision resnet": {"optimizer": SGD},
    "torchvision vision_transformer": {"autocast": True},
    "torchvision vgg": {"train": False},
    "torchvision squeezenet": {"train": False},
    "torchvision swin_transformer": {"train": False},
    "timm dla": {"train": False},
    "timm pit": {"train": False},
    "timm resnetv2": {"train": False},
    "timm mlp_mixer": {"compiled": True, "optimizer": ADAM},
    "torchvision regnet": {"compiled": True, "optimizer": ADAMW},
}
_CHECKPOINTED = (
    "beit",
    "focalnet",
    "nest",
    "xcit",
    "tiny_vit",
    "starnet",
)  # in timm's words: with its `set_grad_checkpointing`


def _setup(package: str, module: str, call: str) -> str:
    names = ", ".join((call.partition("(")[0], *_WITH.get(f"{package} {module}", ())))
    text = f"{TORCHVISION}from {package}.models.{module} import {names}\nmodel = {call}"
    return f"{text}\nmodel.set_grad_checkpointing()" if package == "timm" and module in _CHECKPOINTED else text


def _entry(number: int, package: str, module: str, family: str, call: str, size: int) -> Entry:
    name = f"{package} {module}"
    more = {"optimizer": in_turn(number)} | _MORE.get(name, {})
    return classifier(name, package, family, _setup(package, module, call), size, **more)


ENTRIES = [
    _entry(number, package, *row)
    for package, rows in (("torchvision", _TORCHVISION), ("timm", _TIMM))
    for number, row in enumerate(rows)
]

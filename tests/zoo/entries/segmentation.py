"""Models that label each pixel or voxel, of segmentation_models_pytorch, monai and torchvision."""

from __future__ import annotations

from tests.zoo.entries.building import ADAMW, TORCHVISION, in_turn
from tests.zoo.entry import Entry

_PYTORCH = (  # of segmentation_models_pytorch: on an encoder as small as its encoders are
    ("Unet", "decoder_channels=(32, 16, 8), encoder_depth=3"),
    ("Linknet", "encoder_depth=3"),
    ("FPN", "decoder_pyramid_channels=16, decoder_segmentation_channels=32"),
    ("PSPNet", "psp_out_channels=16, encoder_depth=3"),
    ("DeepLabV3Plus", "decoder_channels=16"),
    ("UPerNet", "decoder_channels=16"),
    ("Segformer", "decoder_segmentation_channels=16"),
)

_MONAI = (  # family, how it is constructed, shape of the input
    ("convolutional", "UNet(3, 1, 2, (8, 16, 16), (2, 2), num_res_units=1)", (1, 16, 16, 16)),
    ("attention", "SwinUNETR(1, 2, feature_size=12, depths=(1, 1, 1, 1), num_heads=(2, 2, 2, 2), spatial_dims=2)", (1, 64, 64)),
    ("attention", "UNETR(1, 2, (16, 16, 16), 4, 16, 32, 2)", (1, 16, 16, 16)),
    ("convolutional", "DynUNet(2, 1, 2, [3, 3, 3], [1, 2, 2], [2, 2], filters=[8, 16, 16], deep_supervision=True, deep_supr_num=1)", (1, 32, 32)),
    ("residual", "SegResNet(2, init_filters=8, in_channels=1, blocks_down=(1, 1, 1), blocks_up=(1, 1))", (1, 32, 32)),
    ("vae", "SegResNetVAE((32, 32), 8, spatial_dims=2, init_filters=8, in_channels=1, blocks_down=(1, 1, 1), blocks_up=(1, 1))", (1, 32, 32)),
    ("residual", "VNet(2, 1, 2)", (1, 32, 32)),
    ("attention", "AttentionUnet(2, 1, 2, (8, 16, 16), (2, 2))", (1, 32, 32)),
    ("convolutional", "BasicUNetPlusPlus(2, 1, 2, (8, 8, 8, 8, 8, 8))", (1, 32, 32)),
    ("residual", "HighResNet(2, 1, 2)", (1, 16, 16)),
    ("convolutional", "MedNeXt(2, 8, 1, 2, blocks_down=(1, 1, 1, 1), blocks_bottleneck=1, blocks_up=(1, 1, 1, 1))", (1, 32, 32)),
)  # fmt: skip

_LOSSES = {
    "DynUNet": "sum(F.cross_entropy(each, y) for each in model(x).unbind(1))",
    "SegResNetVAE": "out, other = model(x)\nloss = F.cross_entropy(out, y) + 0.1 * other",
    "BasicUNetPlusPlus": "F.cross_entropy(model(x)[0], y)",
}


def _of_monai(number: int, family: str, call: str, shape: tuple[int, ...]) -> Entry:
    name = call.partition("(")[0]
    data = f"x, y = torch.randn(2, {str(shape)[1:-1]}), torch.randint(0, 2, (2, {str(shape[1:])[1:-1]}))"
    return Entry(
        f"monai {name}", "monai", family, f"from monai.networks.nets import {name}\nmodel = {call}\n{data}",
        _LOSSES.get(name, "F.cross_entropy(model(x), y)"), in_turn(number), train=name != "HighResNet", autocast=name == "UNet",
    )  # fmt: skip


def _of_pytorch(number: int, name: str, options: str) -> Entry:
    setup = f"""{TORCHVISION}import segmentation_models_pytorch as smp
model = smp.{name}("tu-test_resnet", encoder_weights=None, classes=2, {options})
x, y = torch.randn(2, 3, 64, 64), torch.randint(0, 2, (2, 1, 64, 64)).float()
criterion = smp.losses.DiceLoss("binary")"""
    loss = "F.cross_entropy(model(x), y[:, 0].long())" if number % 2 else "criterion(model(x)[:, :1], y)"
    return Entry(
        f"segmentation_models_pytorch {name}", "segmentation_models_pytorch", "segmentation", setup, loss,
        in_turn(number), train=name != "DeepLabV3Plus", autocast=name == "FPN",
    )  # fmt: skip


ENTRIES = [
    *(_of_pytorch(number, *row) for number, row in enumerate(_PYTORCH)),
    *(_of_monai(number, *row) for number, row in enumerate(_MONAI)),
    Entry(
        "torchvision LRASPP", "torchvision", "segmentation",
        TORCHVISION + "from torchvision.models.segmentation import lraspp_mobilenet_v3_large\n"
        "model = lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3)\n"
        "x, y = torch.randn(2, 3, 32, 32), torch.randint(0, 3, (2, 32, 32))",
        "F.cross_entropy(model(x)['out'], y)", ADAMW, train=False,
    ),
]  # fmt: skip

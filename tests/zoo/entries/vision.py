"""Models that see, of transformers and vit_pytorch, and what joins pictures and texts."""

from __future__ import annotations

from typing import Any

from tests.zoo.entries.building import TORCHVISION, classifier, in_turn
from tests.zoo.entry import Entry

_USUAL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "image_size": 32, "patch_size": 8,
          "num_labels": 3}  # fmt: skip
_STAGES: dict[str, Any] = {
    "num_hidden_layers": None,
    "num_attention_heads": None,
    "hidden_size": None,
    "intermediate_size": None,
    "patch_size": None,
}
_TOWERS = ("text_config={'vocab_size': 64, 'hidden_size': 32, 'intermediate_size': 64, 'num_hidden_layers': 1, 'num_attention_heads': 2, "
           "'max_position_embeddings': 16, 'eos_token_id': 2, 'bos_token_id': 1, 'pad_token_id': 0}, vision_config={'hidden_size': 32, "
           "'intermediate_size': 64, 'num_hidden_layers': 1, 'num_attention_heads': 2, 'image_size': 32, 'patch_size': 8}")  # fmt: skip

_OF_TRANSFORMERS: tuple[tuple[str, dict[str, Any]], ...] = (  # name, options: they classify images
    ("Bit", _STAGES | {"embedding_size": 8, "hidden_sizes": [16, 32], "depths": [1, 1], "num_groups": 4}),
    ("Dinov2", {"mlp_ratio": 2}),
    ("PoolFormer", _STAGES | {"depths": [1, 1], "hidden_sizes": [8, 16], "patch_sizes": [7, 3], "strides": [4, 2], "padding": [2, 1],
                              "num_encoder_blocks": 2}),
    ("Segformer", _STAGES | {"depths": [1, 1], "hidden_sizes": [8, 16], "patch_sizes": [7, 3], "strides": [4, 2], "sr_ratios": [4, 2],
                             "num_attention_heads": [1, 2], "num_encoder_blocks": 2, "mlp_ratios": [2, 2]}),
    ("ViTMSN", {}),
)  # fmt: skip

_OF_VIT_PYTORCH: tuple[tuple[str, str, str, int | tuple[int, ...]], ...] = (  # module, family, call, size
    ("cct", "attention", "CCT(img_size=32, embedding_dim=32, n_conv_layers=1, num_layers=2, num_heads=2, mlp_ratio=2.0, num_classes=3)", 32),
    ("deepvit", "attention", "DeepViT(image_size=32, patch_size=8, num_classes=3, dim=32, depth=2, heads=2, mlp_dim=64)", 32),
    ("sep_vit", "attention", "SepViT(num_classes=3, dim=16, depth=(1, 1), heads=(1, 2), window_size=7)", 56),
    ("simple_vit_with_fft", "attention", "SimpleViT(image_size=32, patch_size=8, freq_patch_size=8, num_classes=3, dim=32, depth=2, heads=2, "
     "mlp_dim=64)", 32),
    ("vivit", "attention", "ViViT(image_size=32, frames=2, image_patch_size=8, frame_patch_size=2, num_classes=3, dim=32, spatial_depth=1, "
     "temporal_depth=1, heads=2, mlp_dim=64)", (3, 2, 32, 32)),
)  # fmt: skip


def _of_transformers(number: int, name: str, options: dict[str, Any]) -> Entry:
    given = ", ".join(f"{key}={value!r}" for key, value in (_USUAL | options).items() if value is not None)
    head = f"{name}ForImageClassification"
    setup = f"{TORCHVISION}from transformers import {name}Config, {head}\nmodel = {head}({name}Config({given}))"
    family = "convolutional" if name in ("Bit", "PoolFormer") else "attention"
    return classifier(
        f"transformers {name}", "transformers", family, setup, 32,
        loss="model(x, labels=y).loss", optimizer=in_turn(number), train=name != "ViTMSN", autocast=name == "Dinov2",
    )  # fmt: skip


def _of_both(name: str, text: str = "") -> Entry:
    setup = f"""{TORCHVISION}from transformers import {name}Config, {name}Model
model = {name}Model({name}Config({_TOWERS}{text}))
x, ids = torch.randn(2, 3, 32, 32), torch.randint(3, 64, (2, 8))"""
    return Entry(
        f"transformers {name}", "transformers", "attention", setup, "model(input_ids=ids, pixel_values=x, return_loss=True).loss"
    )  # fmt: skip


ENTRIES = [
    *(_of_transformers(number, *row) for number, row in enumerate(_OF_TRANSFORMERS)),
    *(_of_both(name) for name in ("CLIP", "Siglip", "Blip")),
    Entry(
        "transformers ViTMAE", "transformers", "attention",
        TORCHVISION + """from transformers import ViTMAEConfig, ViTMAEForPreTraining
model = ViTMAEForPreTraining(ViTMAEConfig(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=32, patch_size=8, decoder_hidden_size=16,
    decoder_num_hidden_layers=1, decoder_num_attention_heads=2, decoder_intermediate_size=32))
x = torch.randn(2, 3, 32, 32)""",
        "model(x).loss",
    ),
    Entry(
        "transformers Perceiver", "transformers", "attention",
        TORCHVISION + """from transformers import PerceiverConfig, PerceiverForImageClassificationLearned
model = PerceiverForImageClassificationLearned(PerceiverConfig(
    num_latents=8, d_latents=32, num_blocks=1, num_self_attends_per_block=2, num_self_attention_heads=2, num_cross_attention_heads=2,
    image_size=16, num_labels=3))
x, y = torch.randn(2, 3, 16, 16), torch.tensor([0, 2])""",
        "model(inputs=x, labels=y).loss",
    ),
    Entry(
        "transformers Vilt", "transformers", "attention",
        TORCHVISION + """from transformers import ViltConfig, ViltForQuestionAnswering
model = ViltForQuestionAnswering(ViltConfig(
    vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=32, patch_size=8,
    max_position_embeddings=16, num_labels=3))
x, ids, y = torch.randn(2, 3, 32, 32), torch.randint(3, 64, (2, 8)), torch.rand(2, 3)""",
        "model(input_ids=ids, pixel_values=x, labels=y).loss",
    ),
    Entry(
        "transformers Swin2SR", "transformers", "attention",
        TORCHVISION + """from transformers import Swin2SRConfig, Swin2SRForImageSuperResolution
model = Swin2SRForImageSuperResolution(Swin2SRConfig(
    image_size=16, patch_size=1, embed_dim=8, depths=[2], num_heads=[2], window_size=4, upscale=2))
x, y = torch.rand(2, 3, 16, 16), torch.rand(2, 3, 32, 32)""",
        "F.l1_loss(model(x).reconstruction, y)",
    ),
    *(
        classifier(
            f"vit_pytorch {module}", "vit_pytorch", family,
            f"{TORCHVISION}from vit_pytorch.{module} import {call.partition('(')[0]}\nmodel = {call}", size,
            optimizer=in_turn(number), train=module != "deepvit", autocast=module == "cct",
        )
        for number, (module, family, call, size) in enumerate(_OF_VIT_PYTORCH)
    ),
]  # fmt: skip

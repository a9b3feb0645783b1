"""Models that remove noise, of diffusers, denoising_diffusion_pytorch and monai: each predicts noise, at two times."""

from __future__ import annotations

from tests.zoo.entries.building import FOREACH_ADAMW, FUSED_ADAMW, TORCHVISION, in_turn
from tests.zoo.entry import Entry

_DIFFUSERS = (  # name, how it is constructed, its inputs, what it is called with
    ("UNet2DModel", "sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8, "
     "attention_head_dim=8, down_block_types=('DownBlock2D', 'AttnDownBlock2D'), up_block_types=('AttnUpBlock2D', 'UpBlock2D')",
     "x = torch.randn(2, 3, 16, 16)", "x, times"),
    ("UNet2DConditionModel", "sample_size=16, block_out_channels=(16, 16), layers_per_block=1, cross_attention_dim=16, norm_num_groups=8, "
     "attention_head_dim=8, down_block_types=('CrossAttnDownBlock2D', 'DownBlock2D'), up_block_types=('UpBlock2D', 'CrossAttnUpBlock2D')",
     "x, words = torch.randn(2, 4, 16, 16), torch.randn(2, 5, 16)", "x, times, words"),
    ("DiTTransformer2DModel", "num_attention_heads=2, attention_head_dim=16, in_channels=4, out_channels=4, num_layers=2, sample_size=8, "
     "num_embeds_ada_norm=10, norm_num_groups=1, patch_size=2",
     "x, kinds = torch.randn(2, 4, 8, 8), torch.tensor([1, 3])", "x, times, kinds"),
    ("PixArtTransformer2DModel", "num_attention_heads=2, attention_head_dim=16, in_channels=4, out_channels=4, num_layers=2, sample_size=8, "
     "cross_attention_dim=32, caption_channels=16, norm_num_groups=1, use_additional_conditions=False",
     "x, words = torch.randn(2, 4, 8, 8), torch.randn(2, 5, 16)", "x, words, times"),
    ("SD3Transformer2DModel", "sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=16, num_attention_heads=2, "
     "joint_attention_dim=16, caption_projection_dim=32, pooled_projection_dim=16, out_channels=4, pos_embed_max_size=8",
     "x, words, pooled = torch.randn(2, 4, 8, 8), torch.randn(2, 5, 16), torch.randn(2, 16)", "x, words, pooled, times"),
    ("FluxTransformer2DModel", "in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, "
     "joint_attention_dim=16, pooled_projection_dim=16, axes_dims_rope=(4, 4, 8)",
     "x, words, pooled = torch.randn(2, 16, 4), torch.randn(2, 5, 16), torch.randn(2, 16)",
     "x, words, pooled, times / 10, torch.zeros(16, 3), torch.zeros(5, 3)"),
    ("SanaTransformer2DModel", "in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=16, num_layers=2, "
     "num_cross_attention_heads=2, cross_attention_head_dim=16, cross_attention_dim=32, caption_channels=16, sample_size=8",
     "x, words = torch.randn(2, 4, 8, 8), torch.randn(2, 5, 16)", "x, words, times"),
    ("AuraFlowTransformer2DModel", "sample_size=8, patch_size=2, in_channels=4, num_mmdit_layers=1, num_single_dit_layers=1, attention_head_dim=16, "
     "num_attention_heads=2, joint_attention_dim=16, caption_projection_dim=32, out_channels=4, pos_embed_max_size=16",
     "x, words = torch.randn(2, 4, 8, 8), torch.randn(2, 5, 16)", "x, words, times / 10"),
    ("WanTransformer3DModel", "patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=16, "
     "freq_dim=16, ffn_dim=32, num_layers=2, rope_max_seq_len=32",
     "x, words = torch.randn(2, 4, 2, 8, 8), torch.randn(2, 5, 16)", "x, times, words"),
)  # fmt: skip


def _of_diffusers(number: int, name: str, options: str, inputs: str, given: str) -> Entry:
    setup = f"""{TORCHVISION}from diffusers import {name}
model = {name}({options})
{inputs}
times = torch.tensor([1, 7])"""
    if name == "UNet2DConditionModel":
        setup += "\nmodel.enable_gradient_checkpointing()"
    loss = f"noisy = model({given}, return_dict=False)[0]\nloss = (noisy - 1).square().mean()"
    return Entry(
        f"diffusers {name}", "diffusers", "diffusion", setup, loss, in_turn(number),
        train=name != "PixArtTransformer2DModel", autocast=name == "SD3Transformer2DModel",
    )  # fmt: skip


ENTRIES = [
    *(_of_diffusers(number, *row) for number, row in enumerate(_DIFFUSERS)),
    Entry(
        "denoising_diffusion_pytorch GaussianDiffusion", "denoising_diffusion_pytorch", "diffusion",
        TORCHVISION + """from denoising_diffusion_pytorch import GaussianDiffusion, Unet
model = GaussianDiffusion(Unet(8, dim_mults=(1, 2), attn_heads=2, attn_dim_head=8, flash_attn=False), image_size=16, timesteps=10)
x = torch.rand(2, 3, 16, 16)""",
        "model(x)", FOREACH_ADAMW,
    ),
    Entry(
        "denoising_diffusion_pytorch KarrasUnet", "denoising_diffusion_pytorch", "diffusion",
        TORCHVISION + """from denoising_diffusion_pytorch import KarrasUnet
model = KarrasUnet(image_size=16, dim=8, num_downsamples=1, num_blocks_per_stage=1, attn_res=(8,), attn_dim_head=8, attn_flash=False)
x, times = torch.rand(2, 4, 16, 16), torch.rand(2)""",
        "F.mse_loss(model(x, times), x)", FUSED_ADAMW,
    ),
    Entry(
        "monai DiffusionModelUNet", "monai", "diffusion",
        """from monai.networks.nets import DiffusionModelUNet
model = DiffusionModelUNet(2, 1, 1, num_res_blocks=1, channels=(8, 16), attention_levels=(False, True), norm_num_groups=4, num_head_channels=8)
x, times = torch.randn(2, 1, 16, 16), torch.tensor([1, 7])""",
        "F.mse_loss(model(x, times), x)",
    ),
]  # fmt: skip

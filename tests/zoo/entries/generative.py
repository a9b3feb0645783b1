"""Autoencoders, and pairs of networks of which one judges what the other makes, of diffusers and monai."""

from __future__ import annotations

from tests.zoo.entries.building import ADAM, FUSED_ADAM, TORCHVISION, in_turn
from tests.zoo.entry import Entry

_BLOCKS = ("down_block_types=('DownEncoderBlock2D', 'DownEncoderBlock2D'), up_block_types=('UpDecoderBlock2D', 'UpDecoderBlock2D'), "
           "block_out_channels=(8, 16), norm_num_groups=4, ")  # fmt: skip
_SPREAD = "kept = model.encode(x).latent_dist\nloss = F.mse_loss(model.decode(kept.sample()).sample, x) + 1e-3 * kept.kl().mean()"

_OF_DIFFUSERS = (  # name, how it is constructed, shape of the input, loss
    ("AutoencoderKL", _BLOCKS + "latent_channels=2", (3, 16, 16), _SPREAD),
    ("AsymmetricAutoencoderKL", _BLOCKS.replace("block_out_channels", "down_block_out_channels") + "up_block_out_channels=(8, 16), latent_channels=2",
     (3, 16, 16), _SPREAD),
    ("VQModel", _BLOCKS + "latent_channels=2, num_vq_embeddings=8", (3, 16, 16), "out = model(x)\nloss = F.mse_loss(out.sample, x) + out.commit_loss.mean()"),
    ("AutoencoderTiny", "encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1)",
     (3, 16, 16), "F.mse_loss(model(x).sample, x)"),
    ("AutoencoderOobleck", "encoder_hidden_size=8, downsampling_ratios=[2, 2], channel_multiples=[1, 2], decoder_channels=8, "
     "decoder_input_channels=4, audio_channels=1", (1, 64), "F.mse_loss(model.decode(model.encode(x).latent_dist.mean).sample, x)"),
    ("AutoencoderKLWan", "base_dim=4, z_dim=4, dim_mult=[1, 2], num_res_blocks=1, temperal_downsample=[False], latents_mean=[0.0] * 4, "
     "latents_std=[1.0] * 4", (3, 1, 16, 16), _SPREAD),
)  # fmt: skip

_OF_MONAI = (
    ("VarAutoEncoder", "2, (1, 16, 16), 1, 4, (4, 8), (2, 2)",
     "made, mean, spread, _ = model(x)\nloss = F.mse_loss(made, x) - 0.005 * (1 + spread - mean**2 - spread.exp()).mean()"),
    ("VQVAE", "2, 1, 1, channels=(8, 8), num_res_layers=1, num_res_channels=(8, 8), num_embeddings=8, embedding_dim=4, "
     "downsample_parameters=((2, 4, 1, 1),) * 2, upsample_parameters=((2, 4, 1, 1, 0),) * 2",
     "made, quantized = model(x)\nloss = F.mse_loss(made, x) + quantized"),
    ("ViTAutoEnc", "1, (16, 16), (4, 4), hidden_size=16, mlp_dim=32, num_layers=2, num_heads=2, spatial_dims=2", "F.l1_loss(model(x)[0], x)"),
)  # fmt: skip

_ADVERSARIAL = """
from monai.losses import PatchAdversarialLoss
from monai.networks.nets import AutoencoderKL, PatchDiscriminator

maker = AutoencoderKL(2, 1, 1, (1, 1), (8, 16), (False, False), latent_channels=2, norm_num_groups=4)
judge = PatchDiscriminator(2, 8, 1, num_layers_d=1)
adversarial = PatchAdversarialLoss(criterion="least_squares")
x = torch.rand(2, 1, 16, 16)
optimizers = torch.optim.Adam(maker.parameters(), lr=1e-3), torch.optim.Adam(judge.parameters(), lr=1e-3, foreach=True)
for step in range(2):
    clock.append(time.process_time())
    optimizers[0].zero_grad(set_to_none=True)
    made, mean, spread = maker(x)
    loss = F.l1_loss(made, x) + 0.1 * adversarial(judge(made)[-1], target_is_real=True, for_discriminator=False)
    loss.backward()
    optimizers[0].step()
    optimizers[1].zero_grad(set_to_none=True)
    judged = (
        adversarial(judge(made.contiguous().detach())[-1], target_is_real=False, for_discriminator=True)
        + adversarial(judge(x)[-1], target_is_real=True, for_discriminator=True)
    )
    judged.backward()
    optimizers[1].step()
    print(step, loss.item(), judged.item())
clock.append(time.process_time())
"""
_MINIMAX = """
from monai.networks.nets import Discriminator, Generator

maker = Generator((8,), (8, 4, 4), (8, 1), (2, 2))
judge = Discriminator((1, 16, 16), (4, 8), (2, 2))
x, ones, zeros = torch.rand(4, 1, 16, 16), torch.ones(4, 1), torch.zeros(4, 1)
makers, judges = torch.optim.SGD(maker.parameters(), lr=0.01), torch.optim.AdamW(judge.parameters(), lr=1e-3, fused=True)
for step in range(3):
    clock.append(time.process_time())
    made = maker(torch.randn(4, 8)).sigmoid()
    for each in judge.parameters():
        each.grad = None
    judged = F.binary_cross_entropy(judge(x), ones) + F.binary_cross_entropy(judge(made.detach()), zeros)
    judged.backward()
    judges.step()
    makers.zero_grad()
    loss = F.binary_cross_entropy(judge(made), ones)
    loss.backward()
    makers.step()
    print(step, loss.item(), judged.item())
clock.append(time.process_time())
"""
_PENALTY = """
from monai.networks.nets import Critic, Generator

maker = Generator((8,), (8, 4, 4), (8, 1), (2, 2))
judge = Critic((1, 16, 16), (4, 8), (2, 2))
x = torch.rand(2, 1, 16, 16)
makers, judges = torch.optim.RMSprop(maker.parameters(), lr=1e-3), torch.optim.RMSprop(judge.parameters(), lr=1e-3, foreach=True)
for step in range(2):
    clock.append(time.process_time())
    made = maker(torch.randn(2, 8))
    share = torch.rand(2, 1, 1, 1)
    between = (share * x + (1 - share) * made.detach()).requires_grad_()
    slopes, = torch.autograd.grad(judge(between).sum(), between, create_graph=True)
    judges.zero_grad()
    judged = judge(made.detach()).mean() - judge(x).mean() + 10 * (slopes.flatten(1).norm(dim=1) - 1).square().mean()
    judged.backward()
    judges.step()
    for each in judge.parameters():
        each.data.clamp_(-0.5, 0.5)
    makers.zero_grad()
    loss = -judge(made).mean()
    loss.backward()
    makers.step()
    print(step, loss.item(), judged.item())
clock.append(time.process_time())
"""

ENTRIES = [
    *(
        Entry(
            f"diffusers {name}", "diffusers", "vae",
            f"{TORCHVISION}from diffusers import {name}\nmodel = {name}({options})\nx = torch.rand(2, {str(shape)[1:-1]})",
            loss, in_turn(number), train=name != "AutoencoderOobleck",
        )
        for number, (name, options, shape, loss) in enumerate(_OF_DIFFUSERS)
    ),
    *(
        Entry(
            f"monai {name}", "monai", "vae",
            f"from monai.networks.nets import {name}\nmodel = {name}({options})\nx = torch.rand(2, 1, 16, 16)", loss,
            (ADAM, FUSED_ADAM)[number % 2],
        )
        for number, (name, options, loss) in enumerate(_OF_MONAI)
    ),
    Entry("monai AutoencoderKL and PatchDiscriminator", "monai", "gan", program=_ADVERSARIAL),
    Entry("monai Generator and Discriminator", "monai", "gan", program=_MINIMAX),
    Entry("monai Generator and Critic", "monai", "gan", program=_PENALTY),
]  # fmt: skip

"""Models of language, of transformers, x_transformers and mambapy: two layers of a width of 32, on sequences of 16 tokens of 64."""

from __future__ import annotations

from typing import Any

from tests.zoo.entries.building import ADAMW, FOREACH_ADAMW, TORCHVISION, in_turn
from tests.zoo.entry import Entry

_USUAL = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64,
          "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
_KEYS = {"num_key_value_heads": 1, "head_dim": 16}
_OF_EXPERTS = _KEYS | {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2}
_BART = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
         "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "decoder_start_token_id": 1}  # fmt: skip
_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0}
_GPT = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64}

_MASKED: tuple[tuple[str, dict[str, Any]], ...] = (  # they guess tokens that are hidden
    ("Albert", {"embedding_size": 16}),
    ("Bert", {}),
    ("DebertaV2", {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    ("DistilBert", {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64}),
    ("Electra", {"embedding_size": 16}),
    ("FNet", {}),
    ("Longformer", {"attention_window": 8}),
    ("ModernBert", {"global_attn_every_n_layers": 2, "local_attention": 8}),
    ("RoFormer", {}),
)  # fmt: skip

_CAUSAL: tuple[tuple[str, str, dict[str, Any]], ...] = (  # they guess the next token
    ("Bloom", "attention", {"n_layer": 2, "n_head": 2}),
    ("DeepseekV3", "attention", _OF_EXPERTS | {"n_routed_experts": 4, "n_group": 2, "topk_group": 1, "kv_lora_rank": 8, "q_lora_rank": 8,
                                               "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16, "moe_intermediate_size": 32,
                                               "num_key_value_heads": 2, "head_dim": 8, "first_k_dense_replace": 1}),
    ("DiffLlama", "attention", {"num_key_value_heads": 2, "head_dim": 16}),
    ("Falcon", "attention", {}),
    ("Gemma2", "attention", _KEYS | {"sliding_window": 8}),
    ("GPT2", "attention", _GPT),
    ("GPTNeo", "attention", {"num_layers": 2, "num_heads": 2, "attention_types": [[["global", "local"], 1]], "window_size": 8}),
    ("GPTNeoX", "attention", {}),
    ("GptOss", "attention", _OF_EXPERTS | {"sliding_window": 8}),
    ("Lfm2", "convolutional", _KEYS | {"layer_types": ["conv", "full_attention"], "block_auto_adjust_ff_dim": False}),
    ("Llama", "attention", _KEYS),
    ("Mamba", "state-space", {"state_size": 4}),
    ("Mamba2", "state-space", {"state_size": 4, "num_heads": 4, "head_dim": 16, "n_groups": 1, "chunk_size": 8}),
    ("MiniMax", "attention", _OF_EXPERTS | {"layer_types": ["linear_attention", "full_attention"], "block_size": 8}),
    ("Mixtral", "attention", _OF_EXPERTS),
    ("Olmo2", "attention", _KEYS),
    ("OPT", "attention", {"ffn_dim": 64, "word_embed_proj_dim": 16}),
    ("Qwen3Next", "attention", _OF_EXPERTS | {"layer_types": ["linear_attention", "full_attention"], "linear_key_head_dim": 8,
                                              "linear_value_head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 2,
                                              "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32}),
    ("RecurrentGemma", "recurrent", {"num_key_value_heads": 1, "lru_width": 32, "attention_window_size": 8, "block_types": ["recurrent", "attention"]}),
    ("xLSTM", "recurrent", {"hidden_size": 64, "qk_dim_factor": 1.0, "num_heads": 2, "num_blocks": 2, "chunk_size": 8, "mode": "train"}),
)  # fmt: skip

_TO_TEXT: tuple[tuple[str, dict[str, Any]], ...] = (  # from one sequence to another
    ("Bart", _BART),
    ("M2M100", _BART),
    ("ProphetNet", {"num_hidden_layers": None, "num_encoder_layers": 1, "num_decoder_layers": 1, "num_encoder_attention_heads": 2, "num_decoder_attention_heads": 2,
                    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "ngram": 2, "decoder_start_token_id": 1}),
    ("T5", _T5),
)  # fmt: skip

_MORE: dict[str, dict[str, Any]] = {
    "transformers Bert": {"compiled": True, "optimizer": ADAMW},
    "transformers GPT2": {"autocast": True},
    "transformers T5": {"autocast": True},
    "transformers Mixtral": {"autocast": True},
    "transformers Falcon": {"train": False},
    "transformers Bloom": {"train": False},
    "transformers FNet": {"train": False},
    "transformers Mamba": {"optimizer": FOREACH_ADAMW},
    "transformers M2M100": {"train": False},
    "transformers RoFormer": {"train": False},
    "transformers xLSTM": {"train": False},  # backward of its form in Python refuses: it overwrites what it has kept
}
_HEADS = {"GPT2": "LMHeadModel"}
_CHECKPOINTED = ("Electra", "GPTNeo", "Llama", "Olmo2", "Bart", "Gemma2")


def _of_transformers(number: int, name: str, family: str, head: str, options: dict[str, Any]) -> Entry:
    head = _HEADS.get(name, head)
    given = ", ".join(f"{key}={value!r}" for key, value in (_USUAL | options).items() if value is not None)
    setup = (
        f"{TORCHVISION}from transformers import {name}Config, {name}{head}\n"
        f"model = {name}{head}({name}Config({given}))\nids = torch.randint(3, 64, (2, 16))"
    )
    if name in _CHECKPOINTED:
        setup += "\nmodel.gradient_checkpointing_enable()"
    more = {"optimizer": in_turn(number)} | _MORE.get(f"transformers {name}", {})
    return Entry(f"transformers {name}", "transformers", family, setup, "model(input_ids=ids, labels=ids).loss", **more)


ENTRIES = [
    *(_of_transformers(k, name, "attention", "ForMaskedLM", options) for k, (name, options) in enumerate(_MASKED)),
    *(_of_transformers(k, name, family, "ForCausalLM", options) for k, (name, family, options) in enumerate(_CAUSAL)),
    *(
        _of_transformers(k, name, "attention", "ForConditionalGeneration", options)
        for k, (name, options) in enumerate(_TO_TEXT)
    ),
    Entry(
        "mambapy Mamba", "mambapy", "state-space",
        """from mambapy.mamba import Mamba, MambaConfig
model = Mamba(MambaConfig(d_model=16, n_layers=2, d_state=4))
x = torch.randn(2, 16, 16)""",
        "model(x).square().mean()", FOREACH_ADAMW,
    ),
    Entry(
        "x_transformers TransformerWrapper", "x_transformers", "attention",
        """from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper
model = AutoregressiveWrapper(TransformerWrapper(
    num_tokens=64, max_seq_len=16, attn_layers=Decoder(dim=32, depth=2, heads=2, attn_dim_head=16, rotary_pos_emb=True, ff_glu=True)))
ids = torch.randint(0, 64, (2, 16))""",
        "model(ids)", ADAMW,
    ),
    Entry(
        "x_transformers Encoder", "x_transformers", "attention",
        """from x_transformers import Encoder, ViTransformerWrapper
model = ViTransformerWrapper(image_size=32, patch_size=8, num_classes=3, attn_layers=Encoder(dim=32, depth=2, heads=2, macaron=True))
x, y = torch.randn(2, 3, 32, 32), torch.tensor([0, 2])""",
        "F.cross_entropy(model(x), y)", autocast=True,
    ),
    Entry(
        "transformers Wav2Vec2", "transformers", "convolutional",
        TORCHVISION + """from transformers import Wav2Vec2Config, Wav2Vec2ForCTC
model = Wav2Vec2ForCTC(Wav2Vec2Config(
    vocab_size=16, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, conv_dim=(8, 8), conv_stride=(5, 4),
    conv_kernel=(10, 8), num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=2, mask_time_prob=0.0, num_feat_extract_layers=2))
x, y = torch.randn(2, 400), torch.randint(1, 16, (2, 4))""",
        "model(x, labels=y).loss",
    ),
]  # fmt: skip

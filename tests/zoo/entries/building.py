"""What the lists of entries share: how the weights are updated, and what a model that classifies images is given."""

from __future__ import annotations

from typing import Any

from tests.zoo.entry import Entry

TORCHVISION = "import tests.zoo.torchvision_operators  # where torchvision's own cannot be loaded\n"
"""Begins the setup of whatever imports torchvision."""

SGD, ADAM, ADAMW = (
    f"torch.optim.{name}(model.parameters(), {options})"
    for name, options in (("SGD", "lr=0.01"), ("Adam", "lr=1e-3"), ("AdamW", "lr=1e-3"))
)
MOMENTUM, NESTEROV, AMSGRAD, FOREACH_SGD, FUSED_SGD, FOREACH_ADAM, FUSED_ADAM, FOREACH_ADAMW, FUSED_ADAMW, RMSPROP = (
    f"torch.optim.{name}(model.parameters(), {options})"
    for name, options in (
        ("SGD", "lr=0.01, momentum=0.9"),
        ("SGD", "lr=0.01, momentum=0.9, nesterov=True, weight_decay=1e-4"),
        ("Adam", "lr=1e-3, amsgrad=True"),
        ("SGD", "lr=0.01, momentum=0.9, foreach=True"),
        ("SGD", "lr=0.01, momentum=0.9, fused=True"),
        ("Adam", "lr=1e-3, foreach=True"),
        ("Adam", "lr=1e-3, fused=True"),
        ("AdamW", "lr=1e-3, foreach=True"),
        ("AdamW", "lr=1e-3, fused=True"),
        ("RMSprop", "lr=1e-3, foreach=False"),
    )
)
IN_TURN = (
    SGD, ADAM, FOREACH_SGD, ADAMW, FUSED_SGD, FOREACH_ADAM, MOMENTUM, FUSED_ADAM, FOREACH_ADAMW, NESTEROV, FUSED_ADAMW, RMSPROP, AMSGRAD,
)  # fmt: skip
"""What the entries of a list take in turn, where they do not say more."""


def in_turn(number: int) -> str:
    """Returns the optimizer of the entry of this number in a list."""
    return IN_TURN[number % len(IN_TURN)]


def classifier(
    name: str, package: str, family: str, setup: str, size: int | tuple[int, ...] = 64, **more: Any
) -> Entry:
    """Returns the entry of a model that gives three numbers for each image.

    Args:
        name: what it is called.
        package: the package that it comes from.
        family: what kind of model it is.
        setup: statements that construct `model`.
        size: the height and width of the images, or all lengths of one.
        more: further attributes of the entry.
    """
    shape = ", ".join(map(str, (3, size, size) if isinstance(size, int) else size))
    data = f"\nx = torch.randn(2, {shape})\ny = torch.tensor([0, 2])"
    return Entry(name, package, family, setup + data, **{"loss": "F.cross_entropy(model(x), y)"} | more)

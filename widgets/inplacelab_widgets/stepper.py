"""The stepper: a notebook widget with all panels of a recording beside its code."""

from __future__ import annotations

from inplacelab_widgets.panel_views import View

__all__ = ["Stepper"]


class Stepper(View):
    """Steps through a recording in the notebook: the code, all panels, the sentence of each step, and the controls.

    `View` documents its arguments and traits.

    >>> stepper = Stepper(recording, predict=True)  # doctest: +SKIP
    >>> stepper.observe(lambda change: print(change["new"]), names=["step"])  # doctest: +SKIP
    """

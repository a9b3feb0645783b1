"""The stepper as a notebook widget. The only module here that needs Jupyter."""

from __future__ import annotations

import base64
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from inplacelab.language import LANGUAGES, get_language
from inplacelab.recording.recording import Recording
from inplacelab_widgets import twins
from inplacelab_widgets.player_files import javascript, stylesheet
from inplacelab_widgets.scene import scene_of, telling_step
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.payload import payload

__all__ = ["Stepper"]


class Stepper(anywidget.AnyWidget):
    """Steps through a recording in the notebook.

    The whole recording is in the browser: stepping needs no kernel. `step` follows the player, and setting it moves
    the player.

    Args:
        recording: what to show.
        step: the step to open at, counted from 0; negative numbers count from the end.

    Raises:
        ValueError: if the recording has no steps.
        traitlets.TraitError: if there is no such step.
    """

    _esm = javascript()
    _css = stylesheet()

    step = traitlets.Int(0, help="The step shown, counted from 0.").tag(sync=True)
    n_steps = traitlets.Int(0, read_only=True, help="How many steps there are.").tag(sync=True)
    language = traitlets.Enum(LANGUAGES, help="The language shown: 'en' or 'zh'.").tag(sync=True)
    _payload = traitlets.Dict().tag(sync=True)

    def __init__(self, recording: Recording, step: int | None = None, **traits: Any) -> None:
        self._recording = recording
        self._scene = scene_of(recording)
        self.set_trait("n_steps", len(recording))
        super().__init__(step=step or 0, language=get_language(), _payload=payload(self._scene), **traits)

    @property
    def recording(self) -> Recording:
        """The recording that is shown."""
        return self._recording

    @traitlets.validate("step")
    def _existing_step(self, proposal: Any) -> int:
        step, count = int(proposal["value"]), len(self._recording)
        if not -count <= step < count:
            raise traitlets.TraitError(f"there is no step {step}: this recording has {count} steps, 0 to {count - 1}")
        return step % count

    @cached_property
    def _telling(self) -> int:
        return telling_step(self._recording)

    def to_svg(self, step: int | None = None, language: str | None = None) -> str:
        """One step as a still picture; see `inplacelab_widgets.to_svg`."""
        return twins.to_svg(self._scene, step, language or self.language)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """A page that plays the recording offline; see `inplacelab_widgets.to_html`."""
        return twins.to_html(self._scene, path, language=language or self.language)

    def to_text(self, step: int | None = None, language: str | None = None) -> str:
        """One step as plain text; see `inplacelab_widgets.to_text`."""
        return twins.to_text(self._recording, step, language or self.language)

    def to_markdown(self, step: int | None = None, language: str | None = None) -> str:
        """One step in Markdown; see `inplacelab_widgets.to_markdown`."""
        return twins.to_markdown(self._recording, step, language or self.language)

    def __repr__(self) -> str:
        return f"Stepper({self._recording.title!r}, steps={len(self._recording)}, step={self.step})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The live widget, and beside it what stays when there is none: a picture and a stable line of text."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle or ({}, {})
        picture = self.to_svg(self._telling)
        spoken = unquoted(self._scene.sentences[self._telling]).in_language(self.language)
        data |= {
            "text/plain": repr(self),
            # An image, not inline SVG: notebooks that are not trusted keep only the image.
            "text/html": f'<img alt="{escape(spoken)}" src="data:image/svg+xml;base64,{_encoded(picture)}">',
            "image/svg+xml": picture,
        }
        return data, metadata


def _encoded(picture: str) -> str:
    return base64.b64encode(picture.encode()).decode("ascii")
